import type { Market } from '../../domain/market.ts'
import type { CategoryPlan } from '../../domain/plan.ts'
import { classify } from './classify.ts'
import { factsOf, type GammaEvent, type GammaMarket } from './gamma.ts'

/** Markets created before this time have no version field, and are v1. */
const SECOND_VERSION_AT_MS = Date.parse('2026-10-04T00:00:00Z')
const TOKEN_ID = /^[0-9]{1,78}$/

/** Converts a market of the catalogue; undefined if it is not part of the plan or can't be followed yet. */
export function listedMarket(event: GammaEvent, listed: GammaMarket, plan: CategoryPlan): Market | undefined {
  if (listed.closed === true || listed.enableOrderBook === false) return undefined
  const facts = factsOf(event)
  const place = classify(facts, listed.slug)
  if (place?.category !== plan.category) return undefined
  const version = versionOf(listed)
  const tokenIds = pairOf(version === 'v2' ? listed.positionIds : listed.clobTokenIds)
  const outcomeNames = pairOf(listed.outcomes)
  const endsAtMs = listed.endDate ?? event.endDate
  if (version === undefined || tokenIds === undefined || outcomeNames === undefined) return undefined
  if (!tokenIds.every((token) => TOKEN_ID.test(token)) || endsAtMs === null || endsAtMs === undefined) return undefined
  const startsAtMs = listed.eventStartTime ?? listed.gameStartTime ?? event.startTime
  const negRiskId = listed.negRiskMarketID || event.negRiskMarketID
  return {
    ...place,
    // The catalogue omits the zero padding of v2 ids, the order book service does not.
    id: listed.conditionId.padEnd(66, '0'),
    venue: 'polymarket',
    tokenIds,
    outcomeNames,
    slug: listed.slug,
    question: listed.question,
    // The venue labels only markets in events with several markets.
    label: listed.groupItemTitle || listed.question,
    eventSlug: event.slug,
    eventTitle: event.title,
    negRisk: listed.negRisk ?? event.negRisk ?? false,
    ...(negRiskId && { negRiskId }),
    minOrderSize: String(listed.orderMinSize ?? 5),
    version,
    ...(startsAtMs !== null && startsAtMs !== undefined && { startsAtMs }),
    endsAtMs,
    planId: plan.id,
    captureIntervalMs: plan.captureIntervalMs,
  }
}

function versionOf({ version, createdAt }: GammaMarket): 'v1' | 'v2' | undefined {
  if (version === 'v1' || version === 'v2') return version
  const isOld = createdAt !== null && createdAt !== undefined && createdAt < SECOND_VERSION_AT_MS
  return (version === undefined || version === null) && isOld ? 'v1' : undefined
}

function pairOf(list: readonly string[] | null | undefined): [string, string] | undefined {
  const [first, second] = list ?? []
  return list?.length === 2 && first !== undefined && second !== undefined ? [first, second] : undefined
}
