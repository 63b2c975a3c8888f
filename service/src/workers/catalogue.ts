import type { Resolution } from '../domain/market.ts'
import { isRefusal } from '../stores/engines/postgres-database.ts'
import type { Markets } from '../stores/markets/markets.ts'
import type { ListedMarket } from '../stores/markets/postgres-market-rows.ts'
import { type StorableMessage, type StoreMeter, storeThenAcknowledge } from './store-then-acknowledge.ts'

export interface CatalogueMessage extends StorableMessage {
  readonly listings: readonly ListedMarket[]
  readonly resolutions: readonly Resolution[]
}

export interface CatalogueDeps {
  readonly messages: AsyncIterable<CatalogueMessage>
  readonly markets: Pick<Markets, 'saveListings' | 'saveResolutions'>
  readonly meter: StoreMeter
  readonly retryAfterMs?: number
}

/** Stores the listings and resolutions of markets. */
export function runCatalogue(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const save = async (messages: readonly CatalogueMessage[]): Promise<void> => {
    await deps.markets.saveListings(messages.flatMap(({ listings }) => listings))
    await deps.markets.saveResolutions(messages.flatMap(({ resolutions }) => resolutions))
  }
  return storeThenAcknowledge({ ...deps, save, isRefusal }, signal)
}
