import { RowsRefused } from '../stores/books/row-inserter.ts'
import type { MarketFactStore, PublishedMarket } from '../stores/markets/market-facts.ts'
import { type StorableMessage, type StoreMeter, storeThenAcknowledge } from './store-then-acknowledge.ts'

export interface FactMessage extends StorableMessage {
  readonly listing: PublishedMarket
}

export interface FactDeps {
  readonly messages: AsyncIterable<FactMessage>
  readonly facts: Pick<MarketFactStore, 'put'>
  readonly meter: StoreMeter
  readonly retryAfterMs?: number
}

/** Stores the constant facts of listed markets in ClickHouse, beside their rows. */
export function runFacts(deps: FactDeps, signal: AbortSignal): Promise<void> {
  const save = (messages: readonly FactMessage[]): Promise<void> =>
    deps.facts.put(messages.map(({ listing }) => listing))
  return storeThenAcknowledge({ ...deps, save, isRefusal: (error) => error instanceof RowsRefused }, signal)
}
