import type { JetStreamManager } from '@nats-io/jetstream'
import { decodeBatch } from '../../src/bus/batch.ts'
import { type GivenUp, Publisher, type PublisherOptions } from '../../src/bus/publish.ts'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { rowsSubject } from '../../src/bus/subjects.ts'

const SHARD = 'polymarket.1'
export const ROWS = rowStreamOf(SHARD)

/** A running publisher of one shard, and what became of its batches. */
export function runPublisher(options: Pick<PublisherOptions, 'jetstream' | 'fence' | 'limits'>) {
  const acknowledged: { n: number; isDuplicate: boolean }[] = []
  const givenUp: GivenUp[] = []
  const publisher = new Publisher({
    shard: SHARD,
    ...options,
    onAcknowledged: ({ n }, { isDuplicate }) => acknowledged.push({ n, isDuplicate }),
    onGivenUp: (given) => givenUp.push(given),
  })
  const end = new AbortController()
  const ended = publisher.run(end.signal)
  ended.catch(() => {})
  const stop = (): Promise<void> => {
    end.abort()
    return ended
  }
  return { publisher, acknowledged, givenUp, ended, stop }
}

/** The numbers of the messages in the stream, in its order. */
export async function storedNumbers(manager: JetStreamManager): Promise<number[]> {
  const { state } = await manager.streams.info(ROWS)
  const numbers: number[] = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(ROWS, { seq })
    if (message?.subject === rowsSubject(SHARD)) numbers.push(decodeBatch(message.data).n)
  }
  return numbers
}
