import type { JetStreamClient, JsMsg } from '@nats-io/jetstream'
import { ARCHIVE_CONSUMER, ROWS_STREAM } from './subjects.ts'

/** One message that is ours until it is acknowledged, or until the server no longer hears of it. */
export interface Delivery {
  readonly bytes: Uint8Array
  readonly shard: number
  readonly sequence: number
  readonly isRedelivered: boolean
  /** Keeps it ours for another while. */
  hold(): void
  /** True when the server has confirmed that it is gone from the stream. */
  acknowledge(): Promise<boolean>
  /** Gives it back, to be delivered again later. */
  giveBack(afterMs: number): void
}

export interface ArchiveFeed {
  /** What comes within a second, at most so many; empty when nothing came or the server is away. */
  next(maxMessages: number): Promise<Delivery[]>
}

const WAIT_MS = 1_000
const CONFIRM_MS = 2_000

/** Reads the durable consumer that was made with the stream; several archives may share it. */
export async function openArchiveFeed(jetstream: JetStreamClient): Promise<ArchiveFeed> {
  const consumer = await jetstream.consumers.get(ROWS_STREAM, ARCHIVE_CONSUMER)
  return {
    async next(maxMessages) {
      const deliveries: Delivery[] = []
      const messages = await consumer.fetch({ max_messages: maxMessages, expires: WAIT_MS })
      try {
        for await (const message of messages) deliveries.push(deliveryOf(message))
      } catch (error) {
        // What has arrived before the connection broke is stored like the rest; only nothing at all is trouble.
        if (deliveries.length === 0) throw error
      }
      return deliveries
    },
  }
}

function deliveryOf(message: JsMsg): Delivery {
  return {
    bytes: message.data,
    shard: Number(message.subject.split('.')[1]),
    sequence: message.seq,
    isRedelivered: message.redelivered,
    hold: () => quietly(() => message.working()),
    async acknowledge() {
      try {
        return await message.ackAck({ timeout: CONFIRM_MS })
      } catch {
        return false
      }
    },
    giveBack: (afterMs) => quietly(() => message.nak(afterMs)),
  }
}

/** On a closed connection these throw; the server then does by itself what they ask for, a little later. */
function quietly(tell: () => void): void {
  try {
    tell()
  } catch {}
}
