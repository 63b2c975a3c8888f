import { z } from 'zod'
import type { ApiError } from '../../domain/api-error.ts'
import { type CoverageFigures, figuresOf, recordedPart } from '../../domain/coverage-parts.ts'
import { addedCauses } from '../../domain/coverage-sums.ts'
import { HOUR_MS, newestFinishedHourMs } from '../../domain/finished-hour.ts'
import { CATEGORIES } from '../../domain/market.ts'
import { type HourOfMarket, hoursByMarket } from '../../domain/market-hours.ts'
import { creditsOfRows, PAGE_BOOKS, PAGE_CREDITS } from '../../domain/prices.ts'
import { mayUse, type Tier } from '../../domain/tier.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { MarketChoice, RecordedHours } from '../../stores/books/recorded-hours.ts'
import { type EmptyReason, type EndpointRequest, endpoint } from '../endpoint.ts'
import { roundedShare } from '../schemas/coverage.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import {
  CoinFilter,
  ConditionId,
  fromBeforeTo,
  Moment,
  oneVenue,
  TimeframeFilter,
  VenueFilter,
} from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import type { Stores } from '../stores.ts'

const MAX_IDS = 100
const MAX_MARKETS = 2_000
/** Each is a row that ClickHouse sends. */
const MAX_MARKET_HOURS = 100_000
const MAX_DAYS = 31
const TOKENS = 2
const PRODUCTS = ['hours', 'snapshots', 'replay'] as const
/** Of Parquet files, measured with simulated books of 40 levels. */
const BYTES_PER_ROW = 45

const EstimateRequest = z
  .strictObject({
    product: z
      .enum(PRODUCTS)
      .describe(
        'hours: Parquet files of whole hours. snapshots: pages of the list. replay: one replay of the channel book, of given markets',
      ),
    markets: z.array(ConditionId).min(1).max(MAX_IDS).optional().describe(`condition ids, at most ${MAX_IDS}`),
    category: z.enum(CATEGORIES).optional().describe('instead of ids: all markets of a category'),
    coin: CoinFilter.optional().describe('with or without a timeframe: only crypto markets of this coin'),
    timeframe: TimeframeFilter.optional(),
    venue: VenueFilter.optional(),
    from: Moment,
    to: Moment.describe(`not included; at most ${MAX_DAYS} days after the start`),
  })
  .check(fromBeforeTo)
  .meta({ id: 'EstimateRequest' })
type EstimateRequest = z.output<typeof EstimateRequest>
type Product = EstimateRequest['product']

const Estimate = z
  .object({
    product: z.enum(PRODUCTS),
    from: Instant.describe('for hours: start of the first hour'),
    to: Instant.describe('not included'),
    market_count: z.int().describe('markets with rows in the range'),
    rows: z.int().describe('token snapshots'),
    files: z.int().describe('hour files; 0 for other products'),
    calls: z.int().describe('requests that read everything; 1 for a replay with rows'),
    credits: z.int().describe('cost of these requests; what was bought lately is counted again'),
    credits_available: z.int().describe('what the key can spend now'),
    is_included: z.boolean().describe('whether the tier of the key includes this product'),
    approximate_bytes: z.int().describe('size of the Parquet files, within a factor of about two'),
    unfinished_hours: z.int().describe('hour files that are not available yet and not counted'),
    expected_slots: z.int(),
    stored_slots: z.int(),
    missing_slots: z.int(),
    suspect_slots: z.int(),
    share: z
      .number()
      .nullable()
      .describe('stored divided by expected slots, rounded down; null when none was expected'),
    gap_count: z.int(),
    causes: z.record(z.string(), z.int()).describe('slots that the gap records of each cause cover'),
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'Estimate' })

type Request = EndpointRequest<unknown, unknown, EstimateRequest>

export const estimate = endpoint({
  method: 'POST',
  path: '/v1/estimate',
  name: 'estimate',
  group: 'History',
  summary: 'Get rows, cost and completeness of a download or a replay before paying for it',
  description: `For given markets, the windows of a coin, or a category; free of charge. At most ${MAX_MARKETS} markets, ${MAX_DAYS} days, and ${MAX_MARKET_HOURS} hours of all markets together. For hours the range is widened to whole hours.`,
  access: { by: 'key', scope: 'history' },
  requestBody: EstimateRequest,
  reply: Estimate,
  errors: ['market_not_found'],

  async handle(request) {
    const { body, stores, nowMs, signal, caller, callerContext } = request
    const range = rangeOf(body)
    request.require({ historyAgeMs: nowMs - Math.min(range.fromMs, nowMs) })
    const choice = await choiceOf(request)
    const found = await stores.recordedHours.countMarkets({ ...range, choice })
    const hours = (range.toMs - range.fromMs) / HOUR_MS
    if (found > MAX_MARKETS || found * hours > MAX_MARKET_HOURS) throw tooMany(found)
    const recorded = await stores.recordedHours.hoursOf({ ...range, choice }, signal)
    const figures = totalOf(recorded, range)
    const cost = COST_OF[body.product](recorded.hours, nowMs)
    const spendable = await callerContext?.spendable()
    const emptyReason: EmptyReason | undefined = cost.rows > 0 ? undefined : whyNone(figures, cost)
    return {
      body: {
        product: body.product,
        from: instantOf(range.fromMs),
        to: instantOf(range.toMs),
        market_count: new Set(recorded.hours.map(({ marketId }) => marketId)).size,
        ...cost,
        credits_available: Math.min(spendable?.balance ?? 0, spendable?.keyLeft ?? Infinity),
        is_included: isIncluded(body.product, caller?.tier ?? 'free'),
        approximate_bytes: cost.rows * BYTES_PER_ROW,
        expected_slots: figures.expected,
        stored_slots: figures.stored,
        missing_slots: figures.expected - figures.stored,
        suspect_slots: figures.suspect,
        share: figures.expected === 0 ? null : roundedShare(figures.stored, figures.expected),
        gap_count: recorded.gaps.length,
        causes: { ...figures.causes },
        ...(emptyReason && { empty_reason: emptyReason }),
      },
      emptyReason,
    }
  },
})

function rangeOf({ product, from, to }: EstimateRequest): TimeRange {
  const partMs = product === 'hours' ? HOUR_MS : 1
  const range = { fromMs: Math.floor(from / partMs) * partMs, toMs: Math.ceil(to / partMs) * partMs }
  if (range.toMs - range.fromMs <= MAX_DAYS * 24 * HOUR_MS) return range
  throw invalidParameter('to', `must be at most ${MAX_DAYS} days after from, got ${instantOf(to)}`)
}

/** Throws when the tier does not include one of the markets. */
async function choiceOf({ body, stores, nowMs, require }: Request): Promise<MarketChoice> {
  const { markets, category, coin, timeframe } = body
  if (markets !== undefined) {
    if (category !== undefined || coin !== undefined || timeframe !== undefined)
      throw invalidParameter('markets', 'must be the only choice: leave out category, coin and timeframe')
    const found = await knownMarkets(stores, markets, nowMs)
    for (const market of found) require({ category: market.category })
    return { by: 'ids', marketIds: found.map(({ id }) => id) }
  }
  // A replay of a series has each window only while it is current, which is less than what is recorded of it.
  if (body.product === 'replay') throw invalidParameter('markets', 'is required for a replay')
  const chosen = category ?? (coin === undefined ? undefined : 'crypto')
  if (chosen === undefined) throw invalidParameter('markets', 'is required unless category or coin is given')
  if (coin !== undefined && chosen !== 'crypto') throw invalidParameter('coin', 'needs the category crypto')
  require({ category: chosen })
  return { by: 'listing', category: chosen, coin, timeframe, venue: oneVenue(body.venue) }
}

/** The first id that no market has ends it, so that a list of invented ids costs no more than one of them. */
async function knownMarkets(stores: Stores, ids: readonly string[], nowMs: number): Promise<FoundMarket[]> {
  const listed = await stores.markets.byIds(ids, nowMs)
  const byId = new Map<string, FoundMarket>(listed.map((market) => [market.id, market]))
  const found: FoundMarket[] = []
  for (const id of ids) found.push(byId.get(id) ?? (await findMarket(stores, id, nowMs)))
  return found
}

function tooMany(found: number): ApiError {
  return invalidParameter(
    'to',
    `is too late: ${found} markets have rows in this range, and an estimate takes at most ${MAX_MARKETS}, and ${MAX_MARKET_HOURS} hours of all of them together; choose a shorter range, or a coin and timeframe`,
  )
}

interface Cost {
  readonly rows: number
  readonly files: number
  readonly calls: number
  readonly credits: number
  readonly unfinished_hours: number
}

/** Each hour is a file, whose price is rounded up. */
function costOfHours(hours: readonly HourOfMarket[], nowMs: number): Cost {
  const newestMs = newestFinishedHourMs(nowMs)
  const finished = hours.filter(({ hourMs }) => hourMs <= newestMs)
  const rowsOf = ({ stored }: HourOfMarket): number => TOKENS * stored
  return {
    rows: finished.reduce((sum, hour) => sum + rowsOf(hour), 0),
    files: finished.length,
    calls: finished.length,
    credits: finished.reduce((sum, hour) => sum + creditsOfRows(rowsOf(hour)), 0),
    unfinished_hours: hours.length - finished.length,
  }
}

/** The largest pages of each market; the last one may be short. */
function costOfPages(hours: readonly HourOfMarket[]): Cost {
  const byMarket = Map.groupBy(hours, ({ marketId }) => marketId)
  const rows = [...byMarket.values()].map((each) => TOKENS * each.reduce((sum, { stored }) => sum + stored, 0))
  const calls = rows.reduce((sum, count) => sum + Math.ceil(count / PAGE_BOOKS), 0)
  const all = rows.reduce((sum, count) => sum + count, 0)
  return { rows: all, files: 0, calls, credits: calls * PAGE_CREDITS, unfinished_hours: 0 }
}

/** All markets are one replay, whose price is rounded up once. */
function costOfReplay(hours: readonly HourOfMarket[]): Cost {
  const rows = TOKENS * hours.reduce((sum, { stored }) => sum + stored, 0)
  return { rows, files: 0, calls: Math.min(1, rows), credits: creditsOfRows(rows), unfinished_hours: 0 }
}

const COST_OF: Readonly<Record<Product, (hours: readonly HourOfMarket[], nowMs: number) => Cost>> = {
  hours: costOfHours,
  snapshots: costOfPages,
  replay: costOfReplay,
}

function isIncluded(product: Product, tier: Tier): boolean {
  if (product === 'snapshots') return true
  return mayUse(tier, product === 'hours' ? 'tabular_formats' : 'websocket')
}

function totalOf({ hours, gaps }: Omit<RecordedHours, 'kinds'>, range: TimeRange): CoverageFigures {
  let total: CoverageFigures = { expected: 0, stored: 0, suspect: 0, causes: {} }
  for (const { intervalMs, hours: ofMarket, gaps: ofGaps, spans } of hoursByMarket(hours, gaps)) {
    const recorded = recordedPart(spans, intervalMs, range)
    if (recorded === undefined) continue
    const stored = ofMarket.reduce((sum, hour) => sum + hour.stored, 0)
    const figures = figuresOf({ intervalMs, range: recorded, stored, gaps: ofGaps })
    total = {
      expected: total.expected + figures.expected,
      stored: total.stored + figures.stored,
      suspect: total.suspect + figures.suspect,
      causes: addedCauses(total.causes, figures.causes),
    }
  }
  return total
}

function whyNone({ expected }: CoverageFigures, { unfinished_hours: unfinished }: Cost): EmptyReason {
  if (unfinished > 0) return 'not_recorded_yet'
  return expected > 0 ? 'gap' : 'outside_capture'
}
