import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { DEAD_STREAM, deadSubject } from './subjects.ts'

export interface DeadLetter {
  shard: number
  /** Its sequence in the stream of rows. */
  sequence: number
  bytes: Uint8Array
  reason: string
}

export interface DeadLetters {
  /** Resolves when the letter is on the disk; a letter sent twice is kept once. */
  send(letter: DeadLetter): Promise<void>
}

/** A letter as it lies in its stream. */
export interface KeptDeadLetter extends DeadLetter {
  /** What `remove` takes, and an operator types. */
  readonly number: number
  readonly at: Date
}

export const REASON_HEADER = 'Bookreel-Reason'
export const SEQUENCE_HEADER = 'Bookreel-Sequence'

export function deadLetters(jetstream: JetStreamClient): DeadLetters {
  return {
    async send({ shard, sequence, bytes, reason }) {
      const facts = headers()
      facts.set(REASON_HEADER, reason.replace(/\s+/g, ' ').slice(0, 300))
      facts.set(SEQUENCE_HEADER, String(sequence))
      await jetstream.publish(deadSubject(shard), bytes, { msgID: `dead:${sequence}`, headers: facts })
    },
  }
}

/** Every letter that is kept, oldest first. */
export async function* readDeadLetters(manager: JetStreamManager): AsyncGenerator<KeptDeadLetter> {
  const { state } = await manager.streams.info(DEAD_STREAM)
  for (let number = state.first_seq; number <= state.last_seq; number++) {
    const message = await manager.streams.getMessage(DEAD_STREAM, { seq: number })
    // Removed before.
    if (message === null) continue
    yield {
      number,
      at: message.time,
      shard: Number(message.subject.split('.')[1]),
      sequence: Number(message.header.get(SEQUENCE_HEADER)),
      reason: message.header.get(REASON_HEADER),
      bytes: message.data,
    }
  }
}

export async function removeDeadLetter(manager: JetStreamManager, number: number): Promise<void> {
  await manager.streams.deleteMessage(DEAD_STREAM, number)
}
