import { z } from 'zod'
import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE, SPOT_ONE } from '../../domain/decimal.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { MarketSummary, Range, SideSummary } from '../../stores/books/market-summaries.ts'
import { proofOf } from '../../venue-registry.ts'
import { endpoint } from '../endpoint.ts'
import { Coverage, coverageOfSlots } from '../schemas/coverage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams } from '../schemas/parameters.ts'
import { BookProof } from '../schemas/snapshot.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { HistoryFrom, historyFrom, historyFromMember } from '../shared/requested-range.ts'
import { settlementMembers, settlementOf } from '../shared/window-settlement.ts'

const TOKENS = 2

const Figure = z.number().nullable()

const SideSummarySchema = z
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
    snapshot_count: z.int().describe('token snapshots, two per slot'),
    first_seen: Instant.nullable(),
    last_seen: Instant.nullable(),
    avg_mid_price: Figure.describe('of the UP token, like all prices, spreads and depths outside of `sides`'),
    min_mid_price: Figure,
    max_mid_price: Figure,
    avg_spread: Figure,
    min_spread: Figure.describe('negative when a book was crossed'),
    max_spread: Figure,
    avg_crypto_price: Figure.describe('null when no spot price was recorded'),
    min_crypto_price: Figure,
    max_crypto_price: Figure,
    avg_bid_depth: Figure,
    avg_ask_depth: Figure,
    sides: z.array(SideSummarySchema),
    window: z
      .object({
        from: Instant,
        to: Instant.describe('not included'),
      })
      .nullable()
      .describe('time range of all figures'),
    history_from: HistoryFrom,
    coverage: Coverage.describe('of the slots of the window'),
    verified_slots: z
      .int()
      .describe('stored slots in which both books have the venue’s hash; 0 where it publishes none'),
    crossed_slots: z.int().describe('stored slots in which a book is crossed'),
    gap_counts: z.object({ missing: z.int(), suspect: z.int() }).describe('gaps that touch the window, by kind'),
    unverified_slots: z
      .int()
      .describe(
        'stored slots in which the proof that the venue offers does not hold for a book; 0 where it offers none',
      ),
    proof: BookProof,
    ...settlementMembers,
    venue: VenueName,
  })
  .meta({ id: 'MarketSummary' })
type Summary = z.infer<typeof Summary>

export const getMarketSummary = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/summary',
  name: 'get_market_summary',
  group: 'Markets',
  summary: 'Get price range, spread, depth and coverage of a market',
  description: 'Covers everything recorded that the tier includes; `window` is its time range.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  reply: Summary,
  errors: ['market_not_found'],

  async handle(request) {
    const { params, stores, nowMs, signal, require } = request
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const days = await stores.marketDays.days(market.id)
    const [oldest, newest] = [days[0], days.at(-1)]
    if (oldest === undefined || newest === undefined) {
      const body = { ...summaryOf(market, undefined, undefined, []), ...(await settlementOf(stores, market)) }
      return { body, emptyReason: 'not_recorded_yet' }
    }
    const { intervalMs } = oldest
    const [firstMs, lastMs] = [slotTimeMs(oldest.firstSlot, intervalMs), slotTimeMs(newest.lastSlot, intervalMs)]
    require({ historyAgeMs: nowMs - lastMs })
    const historyFromMs = historyFrom(request)
    const fromMs = Math.max(firstMs, historyFromMs ?? firstMs)
    const range = { marketId: market.id, intervalMs, fromMs, toMs: lastMs + intervalMs }
    const [summary, gaps, settlement] = await Promise.all([
      stores.summaries.over(range, signal),
      stores.gaps.range(range),
      settlementOf(stores, market),
    ])
    const window = { ...range, limited: historyFromMember({ historyFromMs }, firstMs) }
    const body = { ...summaryOf(market, summary, window, gaps), ...settlement }
    return { body, emptyReason: summary === undefined ? 'gap' : undefined }
  },
})

interface Window extends TimeRange {
  readonly intervalMs: number
  readonly limited: ReturnType<typeof historyFromMember>
}

function summaryOf(
  { id, venue, category, subcategory, timeframe, label, question }: FoundMarket,
  summary: MarketSummary | undefined,
  window: Window | undefined,
  gaps: readonly Gap[],
): Summary {
  const proof = proofOf(venue)
  const { rowCount = 0, provedCount = 0 } = summary ?? {}
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
    snapshot_count: rowCount * TOKENS,
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
    window: window ? { from: instantOf(window.fromMs), to: instantOf(window.toMs) } : null,
    ...window?.limited,
    coverage: coverageIn(window, summary),
    verified_slots: proof === 'hash' ? provedCount : 0,
    crossed_slots: summary?.crossedCount ?? 0,
    gap_counts: {
      missing: gaps.filter(({ kind }) => kind === 'missing').length,
      suspect: gaps.filter(({ kind }) => kind === 'suspect').length,
    },
    unverified_slots: proof === 'none' ? 0 : rowCount - provedCount,
    proof,
    venue,
  }
}

function coverageIn(window: Window | undefined, summary: MarketSummary | undefined): Coverage {
  if (window === undefined) return coverageOfSlots(NO_SLOTS, 0, 1)
  return coverageOfSlots(slotsIn(window, window.intervalMs), summary?.rowCount ?? 0, window.intervalMs)
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

/** Eight decimals hide the rounding error of means. */
function rounded(value: number): number {
  return Math.round(value * 1e8) / 1e8
}
