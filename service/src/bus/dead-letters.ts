import type { JetStreamClient } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { deadSubject } from './subjects.ts'

export interface DeadLetter {
  shard: number
  /** Its place in the stream of rows. */
  sequence: number
  bytes: Uint8Array
  reason: string
}

export interface DeadLetters {
  /** Resolves when it is on the disk; a letter sent twice is kept once. */
  send(letter: DeadLetter): Promise<void>
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
