import { PRICE_ONE } from '../../domain/book.ts'
import type { Market, PriceRange } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import { classify } from './classify.ts'
import { factsOf, type GammaEvent, type GammaMarket } from './gamma.ts'
import type { PolymarketFacts } from './market-facts.ts'

const TOKEN_ID = /^[0-9]{1,78}$/

/** Why a market of the catalogue is not followed. */
export type SkipReason =
  | 'invalid'
  | 'closed'
  | 'no_order_book'
  | 'not_recorded'
  | 'other_plan'
  | 'unknown_version'
  | 'no_tokens'
  | 'not_two_outcomes'
  | 'no_end'

/** Converts a market of the catalogue, or says why it is not followed. */
export function readMarket(event: GammaEvent, listed: GammaMarket, plan: CategoryPlan): Market | SkipReason {
  if (listed.closed === true) return 'closed'
  const place = classify(factsOf(event), listed.slug)
  if (place === undefined) return 'not_recorded'
  if (place.category !== plan.category) return 'other_plan'
  if (listed.enableOrderBook === false) return 'no_order_book'
  const version = versionOf(listed)
  if (version === undefined) return 'unknown_version'
  const tokenIds = pairOf(version === 'v2' ? listed.positionIds : listed.clobTokenIds)
  if (!tokenIds?.every((token) => TOKEN_ID.test(token))) return 'no_tokens'
  const outcomeNames = pairOf(listed.outcomes)
  if (outcomeNames === undefined) return 'not_two_outcomes'
  const endsAtMs = listed.endDate ?? event.endDate
  if (endsAtMs === null || endsAtMs === undefined) return 'no_end'
  const startsAtMs = listed.eventStartTime ?? listed.gameStartTime ?? event.startTime
  const groupId = listed.negRiskMarketID || event.negRiskMarketID
  const facts: PolymarketFacts = {
    negRisk: listed.negRisk ?? event.negRisk ?? false,
    minOrderSize: String(listed.orderMinSize ?? 5),
    version,
  }
  return {
    ...place,
    id: marketIdOf(listed),
    venue: 'polymarket',
    venueKey: listed.conditionId,
    tokenIds,
    outcomeNames,
    slug: listed.slug,
    question: listed.question,
    // The venue labels only markets in events with several markets.
    label: listed.groupItemTitle || listed.question,
    eventSlug: event.slug,
    eventTitle: event.title,
    ...(groupId && { groupId }),
    priceGrid: priceGridOf(listed),
    facts: { ...facts },
    ...(startsAtMs !== null && startsAtMs !== undefined && { startsAtMs }),
    endsAtMs,
    planId: plan.id,
    captureIntervalMs: plan.captureIntervalMs,
  }
}

/** Empty when the catalogue does not state the tick size. */
function priceGridOf({ orderPriceMinTickSize: tickSize }: GammaMarket): PriceRange[] {
  return tickSize ? [{ from: 0, to: PRICE_ONE, step: Math.round(tickSize * PRICE_ONE) }] : []
}

/** The catalogue omits the zero padding of v2 ids, the order book service does not. */
function marketIdOf({ conditionId }: GammaMarket): string {
  return conditionId.padEnd(66, '0')
}

/**
 * A market without a version is judged by its token ids, as only second-version markets have `positionIds`. A wrong
 * guess gives a wrong hash rule, so its books are never proved; it can't produce wrong rows that count as proved.
 */
function versionOf({ version, clobTokenIds, positionIds }: GammaMarket): 'v1' | 'v2' | undefined {
  if (version === 'v1' || version === 'v2') return version
  if (version) return undefined
  const [hasFirst, hasSecond] = [pairOf(clobTokenIds) !== undefined, pairOf(positionIds) !== undefined]
  if (hasFirst === hasSecond) return undefined
  return hasFirst ? 'v1' : 'v2'
}

function pairOf(list: readonly string[] | null | undefined): [string, string] | undefined {
  const [first, second] = list ?? []
  return list?.length === 2 && first !== undefined && second !== undefined ? [first, second] : undefined
}
