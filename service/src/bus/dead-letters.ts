import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { DEAD_STREAM, deadSubject, shardIn } from './subjects.ts'

export interface DeadLetter {
  shard: string
  /** Sequence of the message in the stream of its shard. */
  sequence: number
  bytes: Uint8Array
  reason: string
}

export interface DeadLetters {
  /** Resolves when the dead letter is on disk; one that is sent twice is stored once. */
  send(letter: DeadLetter): Promise<void>
}

/** A stored dead letter. */
export interface KeptDeadLetter extends DeadLetter {
  /** For `removeDeadLetter` and `bookreel-server dead replay`. */
  readonly number: number
  readonly at: Date
}

export const REASON_HEADER = 'Bookreel-Reason'
export const SEQUENCE_HEADER = 'Bookreel-Sequence'

export function deadLetters(jetstream: JetStreamClient): DeadLetters {
  return {
    async send({ shard, sequence, bytes, reason }) {
      const messageHeaders = headers()
      messageHeaders.set(REASON_HEADER, reason.replace(/\s+/g, ' ').slice(0, 300))
      messageHeaders.set(SEQUENCE_HEADER, String(sequence))
      await jetstream.publish(deadSubject(shard), bytes, {
        msgID: `dead:${shard}:${sequence}`,
        headers: messageHeaders,
      })
    },
  }
}

/** Yields all dead letters, oldest first. */
export async function* readDeadLetters(manager: JetStreamManager): AsyncGenerator<KeptDeadLetter> {
  const { state } = await manager.streams.info(DEAD_STREAM)
  // A stream that never had a message starts at 0, which is no message number.
  if (state.messages === 0) return
  for (let number = state.first_seq; number <= state.last_seq; number++) {
    const message = await manager.streams.getMessage(DEAD_STREAM, { seq: number })
    // Already removed.
    if (message === null) continue
    yield {
      number,
      at: message.time,
      shard: shardIn(message.subject),
      sequence: Number(message.header.get(SEQUENCE_HEADER)),
      reason: message.header.get(REASON_HEADER),
      bytes: message.data,
    }
  }
}

export async function removeDeadLetter(manager: JetStreamManager, number: number): Promise<void> {
  await manager.streams.deleteMessage(DEAD_STREAM, number)
}
