import { ApiError } from '../../domain/api-error.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { isConditionId } from '../schemas/parameters.ts'
import type { Stores } from '../stores.ts'

/** A live or ended market; an id that is malformed belongs to no market. */
export async function findMarket(stores: Stores, id: string, nowMs: number): Promise<StoredMarket> {
  const market = await marketById(stores, id, nowMs)
  if (market === undefined) throw marketNotFound(id)
  return market
}

export async function marketById({ catalogue, markets }: Stores, id: string, nowMs: number) {
  const conditionId = id.toLowerCase()
  if (!isConditionId(conditionId)) return undefined
  return catalogue.byId(conditionId, nowMs) ?? markets.byId(conditionId, nowMs)
}

export function marketNotFound(id: string): ApiError {
  return new ApiError('market_not_found', 'No market has this id.', { details: { market_id: id } })
}

/** An empty catalogue means nothing until it has been read once. */
export function readyCatalogue({ catalogue }: Pick<Stores, 'catalogue'>): LiveCatalogue {
  if (catalogue.refreshedAtMs !== undefined) return catalogue
  throw new ApiError('store_unavailable', 'The list of markets is still being loaded. Try again in a second.', {
    retryAfterSeconds: 1,
  })
}
