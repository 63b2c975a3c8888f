import type { Caller } from '../../access/caller.ts'
import { ApiError } from '../../domain/api-error.ts'
import { COINS } from '../../domain/market.ts'
import { normaliseSlug, seriesIn } from '../../domain/slug.ts'
import { requireUse } from '../../domain/tier.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { shown } from '../../domain/value-problems.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import type { Markets } from '../../stores/markets/markets.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { Selector } from '../protocol/protocol.ts'
import { type StreamMarket, streamMarketOf, streamPerpOf } from './stream-market.ts'

export interface SelectorDeps {
  readonly catalogue: LiveCatalogue
  readonly markets: Pick<Markets, 'byId' | 'byToken' | 'bySlug' | 'windowsBetween'>
  readonly nowMs: () => number
}

export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Selectors whose markets change over time. */
export type MovingSelector = Extract<Selector, { category: unknown } | { coin: unknown }>

/** The markets of a selector, or why there are none. */
export type Resolved = { readonly markets: readonly StreamMarket[] } | Refusal

/** Larger requests should use an export. */
const MAX_WINDOWS = 2_000

/** The slug of a series means its current window, as over REST. */
export function meaningOf(selector: Selector): Selector {
  const series = 'slug' in selector ? seriesIn(normaliseSlug(selector.slug)) : undefined
  return series === undefined ? selector : { coin: series.coin, timeframe: series.timeframe }
}

/** The markets that a selector means now. */
export function resolveNow(deps: SelectorDeps, given: Selector, caller: Caller): Promise<Resolved> {
  return orRefusal(async () => {
    const selector = meaningOf(given)
    const nowMs = deps.nowMs()
    if ('symbol' in selector) return [perpOf(selector.symbol, caller)]
    if ('category' in selector || 'coin' in selector) {
      requireUse(caller.tier, { category: 'category' in selector ? selector.category : 'crypto' })
      return currentOf(deps.catalogue, selector, nowMs)
    }
    const market = await oneMarket(deps, selector, nowMs)
    requireUse(caller.tier, { category: market.category })
    if (market.status === 'expired') {
      throw new ApiError('market_closed', 'This market has ended. Use a replay to read its history.')
    }
    return [streamMarketOf(market)]
  })
}

/** The markets that a selector meant in a past time range. */
export function resolveThen(deps: SelectorDeps, given: Selector, caller: Caller, range: TimeRange): Promise<Resolved> {
  return orRefusal(async () => {
    const selector = meaningOf(given)
    const nowMs = deps.nowMs()
    if ('symbol' in selector) return [perpOf(selector.symbol, caller)]
    if ('category' in selector) {
      throw new ApiError(
        'invalid_request',
        'A replay does not accept a category. Select markets, windows or perpetual futures.',
      )
    }
    if ('coin' in selector) {
      requireUse(caller.tier, { category: 'crypto' })
      const series = { coin: coinOf(selector.coin), timeframe: selector.timeframe }
      const windows = await deps.markets.windowsBetween(series, range, { nowMs, limit: MAX_WINDOWS })
      if (windows.length === 0)
        throw new ApiError(
          'market_not_found',
          'No window of this coin and timeframe is in the range. Choose another range.',
        )
      return windows.map(streamMarketOf)
    }
    const market = await oneMarket(deps, selector, nowMs)
    requireUse(caller.tier, { category: market.category })
    return [streamMarketOf(market)]
  })
}

/** The current markets of a window or category. */
export function currentOf(catalogue: LiveCatalogue, selector: MovingSelector, nowMs: number): StreamMarket[] {
  if ('category' in selector) {
    return catalogue.list({ category: selector.category, statuses: ['live'] }, nowMs).map(streamMarketOf)
  }
  const series = { coin: coinOf(selector.coin), timeframe: selector.timeframe, statuses: ['live'] as const }
  return catalogue.list(series, nowMs).slice(0, 1).map(streamMarketOf)
}

async function oneMarket(
  { catalogue, markets }: SelectorDeps,
  selector: Exclude<Selector, { coin: unknown } | { category: unknown } | { symbol: unknown }>,
  nowMs: number,
): Promise<StoredMarket> {
  if ('market' in selector) {
    const market = catalogue.byId(selector.market, nowMs) ?? (await markets.byId(selector.market, nowMs))
    if (market !== undefined) return market
    throw new ApiError('market_not_found', 'No market has this id.')
  }
  if ('token' in selector) {
    const market = await markets.byToken(selector.token, nowMs)
    if (market !== undefined) return market
    throw new ApiError('market_not_found', 'No market has this token.')
  }
  const market = await markets.bySlug(selector.slug, nowMs)
  if (market !== undefined) return market
  throw new ApiError(
    'slug_not_found',
    'No market has exactly this slug; /v1/markets/by-slug finds similar ones. For the current window of a coin use a slug such as btc-updown-5m.',
  )
}

function perpOf(symbol: string, { tier }: Caller): StreamMarket {
  requireUse(tier, 'live_exchange_book')
  return streamPerpOf(coinOf(symbol, 'symbol'))
}

function coinOf(text: string, member: 'coin' | 'symbol' = 'coin'): (typeof COINS)[number] {
  const coin = COINS.find((each) => each === text.toUpperCase())
  if (coin !== undefined) return coin
  throw new ApiError('invalid_request', `${member} must be one of ${COINS.join(', ')}, got ${shown(text)}`)
}

async function orRefusal(find: () => Promise<StreamMarket[]>): Promise<Resolved> {
  try {
    return { markets: await find() }
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.code, message: error.message }
    if (isStoreAway(error))
      return {
        reason: 'store_unavailable',
        message: 'The market catalogue is not available. Try again in a few seconds.',
      }
    throw error
  }
}
