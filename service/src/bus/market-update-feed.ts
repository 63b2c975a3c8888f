import type { JetStreamClient } from '@nats-io/jetstream'
import { decodeMarketUpdate, type MarketUpdate } from './market-updates.ts'
import { type CATALOGUE_CONSUMER, type FACTS_CONSUMER, MARKETS_STREAM } from './subjects.ts'

export interface MarketUpdateDelivery {
  readonly news: MarketUpdate
  readonly toldAtMs: number
  acknowledge(): Promise<unknown>
  /** It is never delivered again. */
  discard(reason: string): void
}

/** What is known of markets, from where this reader stopped the last time. */
export async function* marketUpdateFeed(
  jetstream: JetStreamClient,
  reader: typeof CATALOGUE_CONSUMER | typeof FACTS_CONSUMER,
  signal: AbortSignal,
): AsyncGenerator<MarketUpdateDelivery, void> {
  const consumer = await jetstream.consumers.get(MARKETS_STREAM, reader)
  const messages = await consumer.consume()
  const end = (): void => void messages.close()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    for await (const message of messages) {
      yield {
        news: decodeMarketUpdate(message.data),
        toldAtMs: message.time.getTime(),
        acknowledge: () => message.ackAck(),
        discard: (reason) => message.term(reason),
      }
    }
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}
