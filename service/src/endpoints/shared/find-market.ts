import { ApiError } from '../../domain/api-error.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import type { WindowSeries } from '../../stores/markets/markets.ts'
import { isConditionId } from '../schemas/parameters.ts'
import type { Stores } from '../stores.ts'
import { type FoundMarket, marketOfRecord } from './found-market.ts'

/** The stores that know markets, in the order in which they are asked: catalogue, PostgreSQL, ClickHouse. */
export type MarketSources = Pick<Stores, 'catalogue' | 'markets' | 'recordedMarkets'>

/** A live or ended market; an id that is malformed belongs to no market. */
export async function findMarket(sources: MarketSources, id: string, nowMs: number): Promise<FoundMarket> {
  const market = await marketById(sources, id, nowMs)
  if (market === undefined) throw marketNotFound(id)
  return market
}

export async function marketById(
  { catalogue, markets, recordedMarkets }: MarketSources,
  id: string,
  nowMs: number,
): Promise<FoundMarket | undefined> {
  const conditionId = id.toLowerCase()
  if (!isConditionId(conditionId)) return undefined
  const listed = catalogue.byId(conditionId, nowMs) ?? (await markets.byId(conditionId, nowMs))
  return listed ?? found(await recordedMarkets.byId(conditionId))
}

export async function marketByToken(
  { markets, recordedMarkets }: MarketSources,
  tokenId: string,
  nowMs: number,
): Promise<FoundMarket | undefined> {
  return (await markets.byToken(tokenId, nowMs)) ?? found(await recordedMarkets.byToken(tokenId))
}

/** Exact slug; the catalogue is not asked, because its index has done so before. */
export async function marketBySlug(
  { markets, recordedMarkets }: MarketSources,
  slug: string,
  nowMs: number,
  venue: string | undefined,
): Promise<FoundMarket | undefined> {
  return (await markets.bySlug(slug, nowMs, venue)) ?? found(await recordedMarkets.bySlug(slug, venue))
}

/** The up/down window of a coin that contains a time. */
export async function windowAt(
  { markets, recordedMarkets }: MarketSources,
  series: WindowSeries,
  atMs: number,
  nowMs: number,
): Promise<FoundMarket | undefined> {
  const listed = await markets.windowAt(series, atMs, nowMs)
  return listed ?? found(await recordedMarkets.windowAt(series, atMs))
}

/** The up/down windows of a coin that overlap the range, sorted by their end. */
export async function windowsBetween(
  { markets, recordedMarkets }: MarketSources,
  series: WindowSeries,
  range: TimeRange,
  page: { readonly nowMs: number; readonly limit: number },
): Promise<FoundMarket[]> {
  const [listed, recorded] = await Promise.all([
    markets.windowsBetween(series, range, page),
    recordedMarkets.windowsBetween(series, range, page.limit),
  ])
  const known = new Set(listed.map(({ id }) => id))
  const others = recorded.filter(({ marketId }) => !known.has(marketId)).map(marketOfRecord)
  return [...listed, ...others].toSorted((one, other) => one.endsAtMs - other.endsAtMs).slice(0, page.limit)
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

function found(record: Parameters<typeof marketOfRecord>[0] | undefined): FoundMarket | undefined {
  return record && marketOfRecord(record)
}
