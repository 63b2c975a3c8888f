import type { Caller } from '../../access/caller.ts'
import { ApiError } from '../../domain/api-error.ts'
import { COINS } from '../../domain/market.ts'
import { normaliseSlug, seriesIn } from '../../domain/slug.ts'
import { requireUse } from '../../domain/tier.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { shown } from '../../domain/value-problems.ts'
import { oneVenue } from '../../endpoints/schemas/parameters.ts'
import { findMarket, type MarketSources, marketByToken, windowsBetween } from '../../endpoints/shared/find-market.ts'
import type { FoundMarket } from '../../endpoints/shared/found-market.ts'
import { type MatchedBy, matchSlug } from '../../endpoints/shared/match-slug.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import type { Selector } from '../protocol/protocol.ts'
import { type StreamMarket, streamMarketOf, streamPerpOf } from './stream-market.ts'

export interface SelectorDeps extends MarketSources {
  readonly nowMs: () => number
}

export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** Selectors whose markets change over time. */
export type MovingSelector = Extract<Selector, { category: unknown } | { coin: unknown }>

/** The markets of a selector, or why there are none. */
export type Resolved = Chosen | Refusal

interface Chosen {
  readonly markets: readonly StreamMarket[]
  /** Only of a slug that means one market. */
  readonly matchedBy?: MatchedBy
}

/** Larger requests should use an export. */
const MAX_WINDOWS = 2_000

/** The slug of a series means its current window, as over REST. */
export function meaningOf(selector: Selector): Selector {
  if (!('slug' in selector)) return selector
  const { slug, venue } = selector
  const series = seriesIn(normaliseSlug(slug))
  return series === undefined ? selector : { coin: series.coin, timeframe: series.timeframe, ...(venue && { venue }) }
}

/** The markets that a selector means now. */
export function resolveNow(deps: SelectorDeps, given: Selector, caller: Caller): Promise<Resolved> {
  return orRefusal(async () => {
    const selector = meaningOf(given)
    const nowMs = deps.nowMs()
    if ('symbol' in selector) return { markets: [perpOf(selector.symbol, caller)] }
    if ('category' in selector || 'coin' in selector) {
      requireUse(caller.tier, { category: 'category' in selector ? selector.category : 'crypto' })
      return { markets: recentlyCurrentOf(deps.catalogue, selector, nowMs) }
    }
    const { market, ...how } = await oneMarket(deps, selector, nowMs)
    requireUse(caller.tier, { category: market.category })
    // A settling market is streamed until its end is known.
    if (market.status === 'expired') {
      throw new ApiError(
        'market_closed',
        `The market ${market.slug || market.id} has ended${how.matchedBy ? ` (matched_by: ${how.matchedBy})` : ''}. Use a replay to read its history.`,
      )
    }
    return { markets: [streamMarketOf(market)], ...how }
  })
}

/** The markets that a selector meant in a past time range. */
export function resolveThen(deps: SelectorDeps, given: Selector, caller: Caller, range: TimeRange): Promise<Resolved> {
  return orRefusal(async () => {
    const selector = meaningOf(given)
    const nowMs = deps.nowMs()
    if ('symbol' in selector) return { markets: [perpOf(selector.symbol, caller)] }
    if ('category' in selector) {
      throw new ApiError(
        'invalid_request',
        'A replay does not accept a category. Select markets, windows or perpetual futures.',
      )
    }
    if ('coin' in selector) {
      requireUse(caller.tier, { category: 'crypto' })
      const { timeframe, venue } = selector
      const series = { coin: coinOf(selector.coin), timeframe, venue: oneVenue(venue) }
      const windows = await windowsBetween(deps, series, range, { nowMs, limit: MAX_WINDOWS })
      if (windows.length === 0)
        throw new ApiError(
          'market_not_found',
          'No window of this coin and timeframe is in the range. Choose another range.',
        )
      return { markets: windows.map(streamMarketOf) }
    }
    const { market, ...how } = await oneMarket(deps, selector, nowMs)
    requireUse(caller.tier, { category: market.category })
    return { markets: [streamMarketOf(market)], ...how }
  })
}

/** The current markets of a window or category; of a window, one for each venue. */
export function currentOf(catalogue: LiveCatalogue, selector: MovingSelector, nowMs: number): StreamMarket[] {
  const common = { venue: oneVenue(selector.venue), statuses: ['live'] } as const
  if ('category' in selector) {
    return catalogue.list({ ...common, category: selector.category }, nowMs).map(streamMarketOf)
  }
  const windows = catalogue.list({ ...common, coin: coinOf(selector.coin), timeframe: selector.timeframe }, nowMs)
  const first = new Map(windows.toReversed().map((market) => [market.venue, market]))
  return windows.filter((market) => first.get(market.venue) === market).map(streamMarketOf)
}

interface Listed {
  readonly refreshedAtMs: number | undefined
  readonly untilMs: number
  readonly found: Map<string, readonly StreamMarket[]>
}

/** A list is used again for this long, because a client may ask for the whole catalogue in every frame. */
const LISTED_FOR_MS = 250
const listed = new WeakMap<LiveCatalogue, Listed>()

/** As `currentOf`, from a list that may be `LISTED_FOR_MS` old. */
function recentlyCurrentOf(catalogue: LiveCatalogue, selector: MovingSelector, nowMs: number): readonly StreamMarket[] {
  const { refreshedAtMs } = catalogue
  let recent = listed.get(catalogue)
  if (recent === undefined || recent.refreshedAtMs !== refreshedAtMs || nowMs >= recent.untilMs) {
    recent = { refreshedAtMs, untilMs: nowMs + LISTED_FOR_MS, found: new Map() }
    listed.set(catalogue, recent)
  }
  const what = 'category' in selector ? selector.category : `${coinOf(selector.coin)} ${selector.timeframe}`
  const key = `${what} ${oneVenue(selector.venue) ?? ''}`
  const found = recent.found.get(key) ?? currentOf(catalogue, selector, nowMs)
  recent.found.set(key, found)
  return found
}

async function oneMarket(
  deps: SelectorDeps,
  selector: Exclude<Selector, { coin: unknown } | { category: unknown } | { symbol: unknown }>,
  nowMs: number,
): Promise<{ readonly market: FoundMarket; readonly matchedBy?: MatchedBy }> {
  if ('market' in selector) return { market: await findMarket(deps, selector.market, nowMs) }
  if ('token' in selector) {
    const market = await marketByToken(deps, selector.token, nowMs)
    if (market !== undefined) return { market }
    throw new ApiError('market_not_found', 'No market has this token.')
  }
  const match = await matchSlug(deps, selector.slug, nowMs, { venue: oneVenue(selector.venue) })
  if (match.market !== undefined) return match
  const names = match.candidates.map(({ slug }) => slug).join(', ')
  throw new ApiError('slug_not_found', `No market matches this slug.${names === '' ? '' : ` Similar slugs: ${names}.`}`)
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

async function orRefusal(find: () => Promise<Chosen>): Promise<Resolved> {
  try {
    return await find()
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
