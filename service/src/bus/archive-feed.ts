import type { JetStreamClient, JsMsg } from '@nats-io/jetstream'
import { ARCHIVE_CONSUMER, ROWS_STREAM, shardIn } from './subjects.ts'

/** One message; the server delivers it to nobody else until it is acknowledged, given back, or not held in time. */
export interface Delivery {
  readonly bytes: Uint8Array
  readonly shard: string
  readonly sequence: number
  readonly isRedelivered: boolean
  /** Restarts the server's acknowledgement timeout. */
  hold(): void
  /** True when the server has confirmed the acknowledgement. */
  acknowledge(): Promise<boolean>
  /** Has it delivered again after this time. */
  giveBack(afterMs: number): void
}

export interface ArchiveFeed {
  /** The messages of the next second, at most `maxMessages`; rejects when NATS is unavailable. */
  next(maxMessages: number): Promise<Delivery[]>
}

const WAIT_MS = 1_000
const CONFIRM_MS = 2_000

/** Reads the durable consumer of the rows stream; several archives may share it. */
export async function openArchiveFeed(jetstream: JetStreamClient): Promise<ArchiveFeed> {
  const consumer = await jetstream.consumers.get(ROWS_STREAM, ARCHIVE_CONSUMER)
  return {
    async next(maxMessages) {
      const deliveries: Delivery[] = []
      const messages = await consumer.fetch({ max_messages: maxMessages, expires: WAIT_MS })
      try {
        for await (const message of messages) deliveries.push(deliveryOf(message))
      } catch (error) {
        // Messages that arrived before the connection broke are stored; without any, the error is reported.
        if (deliveries.length === 0) throw error
      }
      return deliveries
    },
  }
}

function deliveryOf(message: JsMsg): Delivery {
  return {
    bytes: message.data,
    shard: shardIn(message.subject),
    sequence: message.seq,
    isRedelivered: message.redelivered,
    hold: () => ignoringErrors(() => message.working()),
    async acknowledge() {
      try {
        return await message.ackAck({ timeout: CONFIRM_MS })
      } catch {
        return false
      }
    },
    giveBack: (afterMs) => ignoringErrors(() => message.nak(afterMs)),
  }
}

/** These throw on a closed connection; the server then delivers the message again by itself, a little later. */
function ignoringErrors(send: () => void): void {
  try {
    send()
  } catch {}
}
