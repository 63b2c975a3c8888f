import type { Resolution } from '../domain/market.ts'
import { isRefusal } from '../stores/engines/postgres-database.ts'
import type { Markets } from '../stores/markets/markets.ts'
import type { Sighting } from '../stores/markets/postgres-market-rows.ts'
import { type StorableMessage, type StoreMeter, storeThenAcknowledge } from './store-then-acknowledge.ts'

/** What `catalogue` needs of one message on the bus. */
export interface CatalogueMessage extends StorableMessage {
  readonly sightings: readonly Sighting[]
  readonly resolutions: readonly Resolution[]
}

export interface CatalogueDeps {
  readonly messages: AsyncIterable<CatalogueMessage>
  readonly markets: Pick<Markets, 'saveSightings' | 'saveResolutions'>
  readonly meter: StoreMeter
  readonly retryAfterMs?: number
}

/** Stores what markets exist and how they ended. */
export function runCatalogue(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const save = async (messages: readonly CatalogueMessage[]): Promise<void> => {
    await deps.markets.saveSightings(messages.flatMap(({ sightings }) => sightings))
    await deps.markets.saveResolutions(messages.flatMap(({ resolutions }) => resolutions))
  }
  return storeThenAcknowledge({ ...deps, save, isRefusal }, signal)
}
