import { DeliverPolicy, type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { CATALOGUE_CONSUMER, MARKETS_STREAM } from './subjects.ts'

/** The server removes the consumer of a process that ended after this time. */
const FORGOTTEN_AFTER_MS = 60_000

/** Which markets have updates, and which of the updates the role `catalogue` has stored; updates have sequences. */
export class MarketChanges {
  readonly #jetstream: JetStreamClient
  /** A stream that was made again counts its sequences from 1. */
  #createdAt: string | undefined

  constructor(connection: NatsConnection) {
    this.#jetstream = jetstream(connection)
  }

  /** PostgreSQL has every update up to this sequence, or can never store it. */
  async storedUpTo(): Promise<number> {
    const manager = await this.#jetstream.jetstreamManager(false)
    const { ack_floor } = await manager.consumers.info(MARKETS_STREAM, CATALOGUE_CONSUMER)
    return ack_floor.stream_seq
  }

  /** Rejects when the stream was made again. */
  async newest(): Promise<number> {
    const manager = await this.#jetstream.jetstreamManager(false)
    const { created, state } = await manager.streams.info(MARKETS_STREAM)
    this.#createdAt ??= created
    if (created === this.#createdAt) return state.last_seq
    this.#createdAt = created
    throw new Error('The stream of market updates was created again.')
  }

  /** Until the signal; resolves early when the server ended it. An update that a newer one replaced is left out. */
  async follow(
    after: number,
    onChange: (marketId: string, sequence: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const consumer = await this.#jetstream.consumers.get(MARKETS_STREAM, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: after + 1,
      inactive_threshold: FORGOTTEN_AFTER_MS,
      // What has changed is read from PostgreSQL.
      headers_only: true,
    })
    const messages = await consumer.consume()
    const end = (): void => void messages.close()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    try {
      for await (const { subject, seq } of messages) onChange(subject.slice(subject.lastIndexOf('.') + 1), seq)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}
