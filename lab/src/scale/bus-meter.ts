import { decodeBatch } from '@bookreel/service/bus/batch'
import { connectBus } from '@bookreel/service/bus/connect'
import { rowsSubject } from '@bookreel/service/bus/subjects'
import type { Stack } from '@bookreel/stack/start-stack'

export interface BusTraffic {
  readonly messages: number
  readonly rows: number
  readonly bytes: number
}

const EVERY_SHARD = rowsSubject('polymarket.*')

/** Reads what recorders publish for some seconds, beside the other readers of the bus. */
export async function busTraffic(stack: Stack, during: () => Promise<void>): Promise<BusTraffic> {
  const address = {
    url: stack.variable('NATS_URL'),
    user: stack.variable('NATS_USER'),
    password: stack.variable('NATS_PASSWORD'),
  }
  const connection = await connectBus(address, 'lab')
  const traffic = { messages: 0, rows: 0, bytes: 0 }
  connection.subscribe(EVERY_SHARD, {
    callback: (error, message) => {
      if (error !== null) return
      traffic.messages++
      traffic.bytes += message.data.length
      traffic.rows += decodeBatch(message.data).index().length
    },
  })
  await during()
  await connection.close()
  return traffic
}
