import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { PRICE_ONE } from '../../domain/book.ts'
import { CATEGORIES, type Category } from '../../domain/market.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { mayUse, TIER_LIMITS, type Tier } from '../../domain/tier.ts'
import type { MarketSummary, Range, SideSummary } from '../../stores/books/market-summaries.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { isConditionId, MarketParams } from '../schemas/parameters.ts'
import type { Stores } from '../stores.ts'

const TOKENS = 2
const HOUR_MS = 3_600_000
const SIZE_ONE = 1_000_000
const SPOT_ONE = 100_000_000

const Figure = z.number().nullable()

const SideSummaryWire = z
  .object({
    token_side: z.enum(['UP', 'DOWN']),
    snapshots: z.int(),
    avg_bid: z.number(),
    avg_ask: z.number(),
    avg_mid: z.number(),
    max_bid: z.number(),
    min_ask: z.number(),
  })
  .meta({ id: 'SideSummary' })

const Summary = z
  .object({
    market_id: z.string(),
    category: z.string(),
    crypto: z.string().describe('the coin; empty for other categories'),
    timeframe: z.string(),
    subcategory: z.string(),
    label: z.string(),
    question: z.string(),
    snapshot_count: z.int().describe('token snapshots: two for each slot'),
    first_seen: Instant.nullable(),
    last_seen: Instant.nullable(),
    avg_mid_price: Figure.describe('of the UP token, as all prices, spreads and depths beside those of `sides`'),
    min_mid_price: Figure,
    max_mid_price: Figure,
    avg_spread: Figure,
    min_spread: Figure.describe('below 0 where the venue’s book was crossed'),
    max_spread: Figure,
    avg_crypto_price: Figure.describe('null where no spot price was recorded'),
    min_crypto_price: Figure,
    max_crypto_price: Figure,
    avg_bid_depth: Figure,
    avg_ask_depth: Figure,
    sides: z.array(SideSummaryWire),
    window: z
      .object({
        from: Instant,
        to: Instant,
        limited_by_tier: z.boolean().describe('older snapshots exist, further back than the tier reaches'),
      })
      .nullable()
      .describe('the time that all figures are about, from its first slot to its last'),
    completeness: z
      .object({
        slots: z.int().describe('slots of the window'),
        recorded_slots: z.int(),
        missing_slots: z.int(),
        ratio: z.number(),
        verified_slots: z.int().describe('both books proved by the venue’s hash'),
        crossed_slots: z.int(),
      })
      .nullable(),
    gaps: z.object({ missing: z.int(), suspect: z.int() }).describe('gap records that touch the window'),
  })
  .meta({ id: 'MarketSummary' })
type Summary = z.infer<typeof Summary>

export const getMarketSummary = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/summary',
  name: 'get_market_summary',
  group: 'Markets',
  summary: 'Price range, spread and depth of a market over all that was recorded of it, and how complete that is',
  description: 'Over as much of the past as the tier reaches; `window` says which time that is.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  reply: Summary,
  errors: ['market_not_found'],

  async handle({ params, caller, stores, nowMs, signal, require }) {
    const market = await nameOf(stores, params.id, nowMs)
    if (market.placed !== undefined) require({ category: market.placed })
    const days = await stores.marketDays.days(market.id)
    const [oldest, newest] = [days[0], days.at(-1)]
    if (oldest === undefined || newest === undefined) {
      return { body: summaryOf(market, undefined, undefined, []), emptyReason: 'not_recorded_yet' }
    }
    const { intervalMs } = oldest
    const [firstMs, lastMs] = [slotTimeMs(oldest.firstSlot, intervalMs), slotTimeMs(newest.lastSlot, intervalMs)]
    require({ historyAgeMs: nowMs - lastMs })
    const fromMs = reachOf(caller?.tier ?? 'free', firstMs, nowMs)
    const span = { marketId: market.id, intervalMs, fromMs, toMs: lastMs + intervalMs }
    const [summary, gaps] = await Promise.all([stores.summaries.over(span, signal), stores.gaps.range(span)])
    const window = { ...span, isLimited: fromMs > firstMs }
    return { body: summaryOf(market, summary, window, gaps), emptyReason: summary === undefined ? 'gap' : undefined }
  },
})

interface Named {
  readonly id: string
  readonly placed: Category | undefined
  readonly category: string
  readonly subcategory: string
  readonly timeframe: string
  readonly label: string
  readonly question: string
}

/** A market by whoever remembers it: catalogue, database, or the facts beside its rows. */
async function nameOf({ catalogue, markets, recordedMarkets }: Stores, asked: string, nowMs: number): Promise<Named> {
  const id = asked.toLowerCase()
  const known = isConditionId(id) ? (catalogue.byId(id, nowMs) ?? (await markets.byId(id, nowMs))) : undefined
  if (known !== undefined) return { ...known, placed: known.category }
  const facts = isConditionId(id) ? (await recordedMarkets.byId(id))?.facts : undefined
  if (facts === undefined) {
    throw new ApiError('market_not_found', 'No market has this id.', { details: { market_id: asked } })
  }
  return { ...facts, id, label: facts.question, placed: CATEGORIES.find((each) => each === facts.category) }
}

/** As far back as the tier reaches, and never before the first row. */
function reachOf(tier: Tier, firstMs: number, nowMs: number): number {
  if (mayUse(tier, { historyAgeMs: nowMs - firstMs })) return firstMs
  return Math.max(firstMs, nowMs - TIER_LIMITS[tier].historyHours * HOUR_MS)
}

interface Window {
  readonly fromMs: number
  readonly toMs: number
  readonly intervalMs: number
  readonly isLimited: boolean
}

function summaryOf(
  { id, category, subcategory, timeframe, label, question }: Named,
  summary: MarketSummary | undefined,
  window: Window | undefined,
  gaps: readonly Gap[],
): Summary {
  const mid = rangeOf(summary?.twiceMid, 2 * PRICE_ONE)
  const spread = rangeOf(summary?.spread, PRICE_ONE)
  const spot = rangeOf(summary?.spot, SPOT_ONE)
  return {
    market_id: id,
    category,
    crypto: category === 'crypto' ? subcategory : '',
    timeframe,
    subcategory,
    label,
    question,
    snapshot_count: (summary?.rowCount ?? 0) * TOKENS,
    first_seen: summary ? instantOf(summary.firstCapturedAtMs) : null,
    last_seen: summary ? instantOf(summary.lastCapturedAtMs) : null,
    avg_mid_price: mid.mean,
    min_mid_price: mid.min,
    max_mid_price: mid.max,
    avg_spread: spread.mean,
    min_spread: spread.min,
    max_spread: spread.max,
    avg_crypto_price: spot.mean,
    min_crypto_price: spot.min,
    max_crypto_price: spot.max,
    avg_bid_depth: summary ? summary.meanBidDepth / SIZE_ONE : null,
    avg_ask_depth: summary ? summary.meanAskDepth / SIZE_ONE : null,
    sides: summary ? [sideOf('UP', summary.rowCount, summary.up), sideOf('DOWN', summary.rowCount, summary.down)] : [],
    window: window ? windowOf(window) : null,
    completeness: window ? completenessOf(window, summary) : null,
    gaps: {
      missing: gaps.filter(({ kind }) => kind === 'missing').length,
      suspect: gaps.filter(({ kind }) => kind === 'suspect').length,
    },
  }
}

function windowOf({ fromMs, toMs, isLimited }: Window) {
  return { from: instantOf(fromMs), to: instantOf(toMs), limited_by_tier: isLimited }
}

function completenessOf({ fromMs, toMs, intervalMs }: Window, summary: MarketSummary | undefined) {
  const slots = Math.ceil(toMs / intervalMs) - Math.ceil(fromMs / intervalMs)
  const recorded = summary?.rowCount ?? 0
  return {
    slots,
    recorded_slots: recorded,
    missing_slots: slots - recorded,
    ratio: slots === 0 ? 0 : rounded(recorded / slots),
    verified_slots: summary?.verifiedCount ?? 0,
    crossed_slots: summary?.crossedCount ?? 0,
  }
}

function sideOf(token_side: 'UP' | 'DOWN', snapshots: number, { meanBid, meanAsk, maxBid, minAsk }: SideSummary) {
  return {
    token_side,
    snapshots,
    avg_bid: rounded(meanBid / PRICE_ONE),
    avg_ask: rounded(meanAsk / PRICE_ONE),
    avg_mid: rounded((meanBid + meanAsk) / (2 * PRICE_ONE)),
    max_bid: maxBid / PRICE_ONE,
    min_ask: minAsk / PRICE_ONE,
  }
}

function rangeOf(range: Range | undefined, one: number): { [Figure in keyof Range]: number | null } {
  if (range === undefined) return { min: null, max: null, mean: null }
  return { min: range.min / one, max: range.max / one, mean: rounded(range.mean / one) }
}

/** Means of exact figures are not exact; eight places are more than any of them means. */
function rounded(value: number): number {
  return Math.round(value * 1e8) / 1e8
}
