import { z } from 'zod'
import { CATEGORIES } from '../../domain/market.ts'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import type { RecordedFacts, RecordedMarket } from '../../stores/markets/recorded-markets.ts'
import { endpoint } from '../endpoint.ts'
import { spotPriceOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { isConditionId } from '../schemas/parameters.ts'
import { expiresIn, isActive, isUpDown } from '../shared/market-flags.ts'
import { type MatchedBy, matchMembers, matchSlug, SlugParams, slugMembers, slugNotFound } from '../shared/match-slug.ts'
import type { Stores } from '../stores.ts'

const SPOT_IS_KNOWN_FOR_MS = 60_000
const SPOT_LOOKED_FOR_MS = 3_600_000

const SingleMarket = z
  .object({
    market_id: z.string(),
    category: z.string(),
    subcategory: z.string(),
    label: z.string(),
    question: z.string(),
    crypto: z.string().optional().describe('the coin; empty for other categories, left out when they are closed'),
    crypto_price: z
      .number()
      .optional()
      .describe('spot price in USD, of a closed market at its end; 0 where unknown; left out like crypto'),
    timeframe: z.string(),
    slug: z.string(),
    token_ids: z.tuple([z.string(), z.string()]),
    outcomes: z.tuple([z.string(), z.string()]).describe('Up and Down for crypto windows, else Yes and No'),
    token_id_up: z.string(),
    token_id_down: z.string(),
    end_date: Instant,
    active: z.boolean(),
    expired: z.boolean(),
    expires_in: z.int().describe('milliseconds until it ends; 0 when it has'),
    status: z.enum(MARKET_STATUSES),
    start_date: Instant.optional().describe('when the window opens or the game starts'),
    outcome_names: z.tuple([z.string(), z.string()]).optional().describe('as the venue calls them'),
    event_title: z.string().optional(),
    neg_risk_id: z.string().optional(),
    resolved_outcome: z.enum(['UP', 'DOWN', 'SPLIT']).optional().describe('which token came true, once that is known'),
    resolved_at: Instant.optional(),
    first_seen: Instant.optional().describe('first slot recorded; only where the catalogue has forgotten the market'),
    last_seen: Instant.optional(),
    ...slugMembers,
  })
  .meta({ id: 'SingleMarket' })
type SingleMarket = z.infer<typeof SingleMarket>
type Found = Omit<SingleMarket, keyof typeof slugMembers>

export const getMarket = endpoint({
  method: 'GET',
  path: '/v1/markets/by-slug/{slug}',
  name: 'get_market',
  group: 'Markets',
  summary: 'One market by its slug, by a part of it, or by its condition id, whether it lives or ended long ago',
  access: { by: 'key', scope: 'live' },
  params: SlugParams,
  reply: SingleMarket,
  errors: ['slug_not_found'],

  async handle({ params, stores, nowMs, require }) {
    const { slug } = params
    const match = await matchSlug(stores, slug, nowMs)
    if (match.market !== undefined) {
      const { market, matchedBy } = match
      require({ category: market.category })
      return { body: { ...(await marketOf(stores, market, nowMs)), ...matchMembers(slug, matchedBy) } }
    }
    const recorded = await findRecorded(stores, slug)
    if (recorded === undefined) throw slugNotFound(slug, match.candidates)
    const category = CATEGORIES.find((each) => each === recorded.facts.category)
    if (category !== undefined) require({ category })
    return { body: { ...forgottenMarketOf(recorded), ...matchMembers(slug, recorded.matchedBy) } }
  },
})

async function marketOf(stores: Stores, market: StoredMarket, nowMs: number): Promise<Found> {
  const { category, subcategory, status, tokenIds, startsAtMs, negRiskId, resolution } = market
  const isOpen = isActive(status)
  const isCrypto = category === 'crypto'
  return {
    market_id: market.id,
    category,
    subcategory,
    label: market.label,
    question: market.question,
    ...(isCrypto && { crypto: subcategory, crypto_price: await spotOf(stores, market, nowMs) }),
    ...(!isCrypto && isOpen && { crypto: '', crypto_price: 0 }),
    timeframe: market.timeframe,
    slug: market.slug,
    ...tokensOf(market, tokenIds),
    end_date: instantOf(market.endsAtMs),
    active: isOpen,
    expired: !isOpen,
    expires_in: expiresIn(market, nowMs),
    status,
    ...(startsAtMs !== undefined && { start_date: instantOf(startsAtMs) }),
    outcome_names: [...market.outcomeNames],
    ...(market.eventTitle !== '' && { event_title: market.eventTitle }),
    ...(negRiskId !== undefined && { neg_risk_id: negRiskId }),
    ...(resolution && {
      resolved_outcome: resolution.winner === undefined ? 'SPLIT' : resolution.winner === 0 ? 'UP' : 'DOWN',
      resolved_at: instantOf(resolution.resolvedAtMs),
    }),
  }
}

/** The price now, or when the market ended. A price that a store can't tell right now is unknown, like any other. */
async function spotOf({ books, snapshots }: Stores, market: StoredMarket, nowMs: number): Promise<number> {
  const { id, endsAtMs, captureIntervalMs, status, resolution } = market
  try {
    if (isActive(status)) {
      const snapshot = await books.read(id, nowMs)
      const isKnown = snapshot !== undefined && nowMs - snapshot.capturedAtMs <= SPOT_IS_KNOWN_FOR_MS
      return (isKnown ? spotPriceOf(snapshot) : undefined) ?? 0
    }
    const atMs = Math.min(endsAtMs, resolution?.resolvedAtMs ?? endsAtMs)
    const span = { marketId: id, intervalMs: captureIntervalMs }
    const last = await snapshots.latestBefore(span, { atMs, withinMs: SPOT_LOOKED_FOR_MS })
    return (last && spotPriceOf(last)) ?? 0
  } catch (error) {
    if (isStoreAway(error)) return 0
    throw error
  }
}

interface Forgotten extends RecordedMarket {
  readonly facts: RecordedFacts
  readonly matchedBy: MatchedBy
}

/** What the rows of a market tell of it when no catalogue does. */
async function findRecorded({ recordedMarkets }: Stores, slug: string): Promise<Forgotten | undefined> {
  const id = slug.toLowerCase()
  const isId = isConditionId(id)
  const recorded = isId ? await recordedMarkets.byId(id) : await recordedMarkets.bySlug(slug)
  if (recorded?.facts === undefined) return undefined
  return { ...recorded, facts: recorded.facts, matchedBy: isId ? 'condition_id' : 'exact' }
}

function forgottenMarketOf({ marketId, intervalMs, firstSlot, lastSlot, facts }: Forgotten): Found {
  return {
    market_id: marketId,
    category: facts.category,
    subcategory: facts.subcategory,
    label: facts.question,
    question: facts.question,
    ...(facts.category === 'crypto' && { crypto: facts.coin, crypto_price: 0 }),
    timeframe: facts.timeframe,
    slug: facts.slug,
    ...tokensOf(facts, facts.tokenIds),
    end_date: instantOf(facts.endsAtMs),
    active: false,
    expired: true,
    expires_in: 0,
    status: 'expired',
    first_seen: instantOf(slotTimeMs(firstSlot, intervalMs)),
    last_seen: instantOf(slotTimeMs(lastSlot, intervalMs)),
  }
}

function tokensOf(market: { category: string; timeframe: string }, [up, down]: readonly [string, string]) {
  const outcomes: [string, string] = isUpDown(market) ? ['Up', 'Down'] : ['Yes', 'No']
  return { token_ids: [up, down] as [string, string], outcomes, token_id_up: up, token_id_down: down }
}
