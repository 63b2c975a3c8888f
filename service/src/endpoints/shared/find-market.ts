import { ApiError } from '../../domain/api-error.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { isConditionId } from '../schemas/parameters.ts'
import type { Stores } from '../stores.ts'

/** The market of an id, whether it lives or ended long ago. What is malformed is the id of no market. */
export async function findMarket({ catalogue, markets }: Stores, id: string, nowMs: number): Promise<StoredMarket> {
  const wanted = id.toLowerCase()
  const market = isConditionId(wanted)
    ? (catalogue.byId(wanted, nowMs) ?? (await markets.byId(wanted, nowMs)))
    : undefined
  if (market === undefined)
    throw new ApiError('market_not_found', 'No market has this id.', { details: { market_id: id } })
  return market
}
