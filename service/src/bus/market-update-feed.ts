import type { JetStreamClient } from '@nats-io/jetstream'
import { decodeMarketUpdate, type MarketUpdate } from './market-updates.ts'
import { type CATALOGUE_CONSUMER, type FACTS_CONSUMER, MARKETS_STREAM } from './subjects.ts'

export interface MarketUpdateDelivery {
  readonly update: MarketUpdate
  readonly publishedAtMs: number
  acknowledge(): Promise<unknown>
  /** The message is never delivered again. */
  discard(reason: string): void
}

/** Market updates since the last one that this consumer acknowledged. */
export async function* marketUpdateFeed(
  jetstream: JetStreamClient,
  consumerName: typeof CATALOGUE_CONSUMER | typeof FACTS_CONSUMER,
  signal: AbortSignal,
): AsyncGenerator<MarketUpdateDelivery, void> {
  const consumer = await jetstream.consumers.get(MARKETS_STREAM, consumerName)
  const messages = await consumer.consume()
  const end = (): void => void messages.close()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    for await (const message of messages) {
      yield {
        update: decodeMarketUpdate(message.data),
        publishedAtMs: message.time.getTime(),
        acknowledge: () => message.ackAck(),
        discard: (reason) => message.term(reason),
      }
    }
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}
