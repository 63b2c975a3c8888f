import { z } from 'zod'
import { overlapOf } from '../../domain/time-range.ts'
import type { BarRequest, BarRow } from '../../stores/books/bars.ts'
import { type EmptyReason, type EndpointRequest, endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, MarketParams, Moment, Side, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor, wrongCursor } from '../shared/cursor.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { recordedRange, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import { HistoryFrom, historyFromMember, requestedRange } from '../shared/requested-range.ts'

const SECOND_MS = 1_000
export const BAR_MS = {
  '1s': SECOND_MS,
  '5s': 5 * SECOND_MS,
  '10s': 10 * SECOND_MS,
  '30s': 30 * SECOND_MS,
  '1m': 60 * SECOND_MS,
  '5m': 300 * SECOND_MS,
  '15m': 900 * SECOND_MS,
  '1h': 3_600 * SECOND_MS,
  '4h': 14_400 * SECOND_MS,
  '1d': 86_400 * SECOND_MS,
} as const
type BarLength = keyof typeof BAR_MS
export const BAR_LENGTHS = Object.keys(BAR_MS) as [BarLength, ...BarLength[]]

const price = z.number().nullable()

const Bar = z
  .object({
    start: Instant.describe('start of the bar, aligned to the Unix epoch'),
    open: price.describe('mid price of the first snapshot; null in a bar without snapshots'),
    high: price,
    low: price,
    close: price.describe('mid price of the last snapshot'),
    last_spread: price,
    avg_spread: price,
    avg_depth5_bid: price.describe('mean size of the best five bids'),
    avg_depth5_ask: price,
    avg_bid_depth: price.describe('mean size of all bids'),
    avg_ask_depth: price,
    spot_open: price.describe('spot price of the coin in USD; null without one'),
    spot_high: price,
    spot_low: price,
    spot_close: price,
    snapshot_count: z.int(),
    expected_count: z
      .int()
      .describe('slots of the bar in the recorded time; more than snapshot_count where there is a gap'),
  })
  .meta({ id: 'Bar' })

const Bars = z.object({
  market_id: z.string(),
  venue: VenueName,
  token_id: z.string(),
  side: Side,
  interval: z.enum(BAR_LENGTHS),
  bars: z.array(Bar).describe('every bar of the page by time, also bars without snapshots'),
  next_cursor: NextCursor,
  history_from: HistoryFrom,
  empty_reason: z.string().optional(),
})

const Query = z
  .object({
    interval: z.enum(BAR_LENGTHS).default('1m').describe('length of a bar'),
    from: Moment.optional().describe('bars that start at or after this time; without it, the newest bars before `to`'),
    to: Moment.optional().describe('bars that start before this time'),
    limit: wholeNumber(1, 1_000).default(300).describe('bars per page'),
    cursor: Cursor.optional(),
    side: Side.default('UP').describe('the token'),
  })
  .check(fromBeforeTo)

type BarQuery = z.output<typeof Query>
type BarsRequest = EndpointRequest<z.output<typeof MarketParams>, BarQuery, undefined>

interface Page {
  readonly market: FoundMarket
  readonly bars: BarRequest
  readonly emptyReason?: EmptyReason | undefined
  readonly nextCursor: string | null
  readonly limited: ReturnType<typeof historyFromMember>
}

export const listBars = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/bars',
  name: 'list_bars',
  group: 'History',
  summary: 'List bars of a token: open, high, low and close of the mid price, with spread, depth and spot price',
  description:
    'Computed from every stored book; each slot counts once. A bar over a gap has a snapshot_count below its expected_count. Bars are in ascending order within and across pages.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: Query,
  reply: Bars,
  errors: ['market_not_found'],
  table: {
    columns: Object.keys(Bar.shape),
    rows: ({ bars }) => bars,
    inRows: ['bars'],
  },

  async handle(request) {
    const { stores, signal } = request
    const page = await pageOf(request)
    const { bars, emptyReason } = page
    const rows = emptyReason === undefined ? await stores.bars.range(bars, signal) : []
    return { body: { ...envelopeOf(page, request.query), bars: rows.map(barOf) }, emptyReason }
  },

  async parquet(request) {
    const page = await pageOf(request)
    const { bars, emptyReason } = page
    const pieces = await request.stores.bars.parquet(bars, request.signal)
    return { pieces, rowCount: bars.endBar - bars.firstBar, envelope: envelopeOf(page, request.query), emptyReason }
  },
})

/** Bars without rows are listed too, so the bars of a page follow from their numbers. */
async function pageOf(request: BarsRequest): Promise<Page> {
  const { params, query, stores, nowMs, require } = request
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  const barMs = BAR_MS[query.interval]
  const token = {
    marketId: market.id,
    intervalMs: market.captureIntervalMs,
    outcome: query.side === 'UP' ? 0 : 1,
    barMs,
  } as const
  const nothing = (emptyReason: EmptyReason, limited: Page['limited'] = {}): Page => ({
    market,
    bars: { ...token, firstBar: 0, endBar: 0, recorded: { fromMs: 0, toMs: 0 } },
    emptyReason,
    nextCursor: null,
    limited,
  })
  const recorded = await recordedRange(stores, market, nowMs)
  if (recorded === undefined) return nothing(await whyNothing(stores, market, nowMs))
  const requested = requestedRange(request, recorded.toMs)
  const limited = historyFromMember(requested, recorded.fromMs)
  // A bar that starts before `from` or before what the tier includes is left out.
  const isCut = query.from !== undefined || requested.fromMs > recorded.fromMs
  const fromMs = isCut ? Math.ceil(requested.fromMs / barMs) * barMs : requested.fromMs
  const range = overlapOf({ fromMs, toMs: requested.toMs }, recorded)
  if (range === undefined) return nothing(await whyOutside(stores, requested, nowMs), limited)
  const list = `bars ${market.id} ${query.side} ${query.interval}`
  const [earliest, end] = [Math.floor(range.fromMs / barMs), Math.ceil(range.toMs / barMs)]
  const [cursorBar] = decodeCursor(query.cursor, list, z.tuple([z.int()])) ?? []
  if (cursorBar !== undefined && (cursorBar < earliest || cursorBar >= end)) {
    throw wrongCursor()
  }
  const firstBar = cursorBar ?? (query.from === undefined ? Math.max(earliest, end - query.limit) : earliest)
  const endBar = Math.min(end, firstBar + query.limit)
  const nextCursor = endBar < end ? encodeCursor(list, [endBar]) : null
  return { market, bars: { ...token, firstBar, endBar, recorded }, nextCursor, limited }
}

function envelopeOf({ market, nextCursor, limited, emptyReason }: Page, { side, interval }: BarQuery) {
  return {
    market_id: market.id,
    venue: market.venue,
    token_id: market.tokenIds[side === 'UP' ? 0 : 1],
    side,
    interval,
    next_cursor: nextCursor,
    ...limited,
    ...(emptyReason && { empty_reason: emptyReason }),
  }
}

function barOf({ start_ms, ...figures }: BarRow): z.infer<typeof Bar> {
  return { start: instantOf(start_ms), ...figures }
}
