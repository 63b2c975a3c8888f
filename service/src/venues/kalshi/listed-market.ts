import { PRICE_ONE } from '../../domain/book.ts'
import { PRICE_DECIMALS, unitsIn } from '../../domain/decimal.ts'
import type { Market, PriceRange } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import { groupIdOf, namesOf, VENUE } from './market-names.ts'
import type { KalshiMarket } from './market-schema.ts'
import type { Series } from './series.ts'

/** Why a listed market is not followed. */
export type SkipReason = 'closed' | 'not_binary' | 'no_end'

/** Other statuses, also unknown ones, are those of a market that trades or will trade. */
const ENDED_STATUSES = new Set(['closed', 'determined', 'disputed', 'amended', 'finalized'])
/** The finest prices that can be stored: no order is refused for a grid that the venue does not state. */
const UNKNOWN_GRID: readonly PriceRange[] = [{ from: 0, to: PRICE_ONE, step: 1 }]

/** Converts a market of a list, or says why it is not followed. */
export function readMarket(listed: KalshiMarket, series: Series, plan: CategoryPlan): Market | SkipReason {
  const { ticker, event_ticker: eventTicker, close_time: endsAtMs, open_time: opensAtMs } = listed
  if (ENDED_STATUSES.has(listed.status ?? '')) return 'closed'
  if ((listed.market_type ?? 'binary') !== 'binary') return 'not_binary'
  if (endsAtMs === null || endsAtMs === undefined) return 'no_end'
  const { marketId, yesTokenId, noTokenId } = namesOf(ticker)
  const question = listed.title || listed.yes_sub_title || ticker
  return {
    category: series.category,
    subcategory: series.subcategory,
    timeframe: series.timeframe,
    id: marketId,
    venue: VENUE,
    venueKey: ticker,
    tokenIds: [yesTokenId, noTokenId],
    outcomeNames: outcomeNamesOf(listed, series),
    slug: ticker.toLowerCase(),
    question,
    label: listed.yes_sub_title || question,
    eventSlug: eventTicker.toLowerCase(),
    eventTitle: question,
    ...(series.isExclusive && { groupId: groupIdOf(eventTicker) }),
    priceGrid: priceGridOf(listed),
    facts: factsOf(listed, series),
    ...(series.isWindow && typeof opensAtMs === 'number' && { startsAtMs: opensAtMs }),
    endsAtMs,
    planId: plan.id,
    captureIntervalMs: plan.captureIntervalMs,
  }
}

/** Most markets repeat the title of YES for NO, which names no outcome. */
function outcomeNamesOf(
  { yes_sub_title: yes, no_sub_title: no }: KalshiMarket,
  { isWindow }: Series,
): [string, string] {
  if (isWindow) return ['Up', 'Down']
  return yes && no && yes !== no ? [yes, no] : ['Yes', 'No']
}

/** The name of the structure is only a label; a grid with an unreadable part is unknown. */
function priceGridOf({ price_ranges: ranges }: KalshiMarket): readonly PriceRange[] {
  const grid = (ranges ?? []).flatMap(({ start, end, step }): PriceRange[] => {
    const [from, to, stepUnits] = [start, end, step].map((text) => unitsIn(text, PRICE_DECIMALS))
    const isRange = from !== undefined && to !== undefined && from < to && to <= PRICE_ONE
    return isRange && stepUnits !== undefined && stepUnits > 0 ? [{ from, to, step: stepUnits }] : []
  })
  return grid.length === 0 || grid.length !== ranges?.length ? UNKNOWN_GRID : grid
}

function factsOf(listed: KalshiMarket, series: Series): Record<string, string> {
  const { strike_type: strikeType, floor_strike: floor, cap_strike: cap } = listed
  return {
    series: series.ticker,
    ...(strikeType && { strikeType }),
    ...(typeof floor === 'number' && { floorStrike: String(floor) }),
    ...(typeof cap === 'number' && { capStrike: String(cap) }),
  }
}
