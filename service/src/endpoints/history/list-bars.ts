import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import type { BarRequest, BarRow } from '../../stores/books/bars.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { type EmptyReason, type EndpointRequest, endpoint } from '../endpoint.ts'
import { Cursor, cursorOf, NextCursor, positionIn } from '../schemas/cursor.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams, Moment, Side, wholeNumber } from '../schemas/parameters.ts'
import { findMarket } from '../shared/find-market.ts'
import { rangeAsked, withinLife } from '../shared/history-range.ts'
import { recordedLife } from '../shared/recorded-life.ts'

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
    start: Instant.describe('begin of the bar, aligned to the Unix epoch'),
    open: price.describe('mid price of the first snapshot; null where the bar has none'),
    high: price,
    low: price,
    close: price.describe('mid price of the last snapshot'),
    last_spread: price,
    avg_spread: price,
    avg_bid_depth5: price.describe('mean of the size of the best five bids'),
    avg_ask_depth5: price,
    avg_bid_depth: price.describe('mean of the size of all bids'),
    avg_ask_depth: price,
    spot_open: price.describe('spot price of the coin in USD; null where there is none'),
    spot_high: price,
    spot_low: price,
    spot_close: price,
    snapshot_count: z.int(),
    expected_count: z
      .int()
      .describe('slots of this bar that were recorded; more than snapshot_count where there is a gap'),
  })
  .meta({ id: 'Bar' })

const Bars = z.object({
  market_id: z.string(),
  token_id: z.string(),
  side: Side,
  interval: z.enum(BAR_LENGTHS),
  bars: z.array(Bar).describe('by time, without any left out; a bar over a gap has fewer snapshots than expected'),
  next_cursor: NextCursor,
  empty_reason: z.string().optional(),
})

const Query = z.object({
  interval: z.enum(BAR_LENGTHS).default('1m').describe('length of a bar'),
  from: Moment.optional().describe('bars that begin at or after this; without it the newest bars before to'),
  to: Moment.optional().describe('bars that begin before this'),
  limit: wholeNumber(1, 1_000).default(300).describe('how many bars at most'),
  cursor: Cursor.optional(),
  side: Side.default('UP').describe('of which token'),
})

type BarQuery = z.output<typeof Query>
type BarQuestion = EndpointRequest<z.output<typeof MarketParams>, BarQuery, undefined>

interface Page {
  readonly market: StoredMarket
  readonly request: BarRequest
  readonly emptyReason?: EmptyReason | undefined
  readonly nextCursor: string | null
}

export const listBars = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/bars',
  name: 'list_bars',
  group: 'History',
  summary: 'Open, high, low and close of a token’s mid price, with spread, depth and spot price',
  description:
    'Made from every stored book of the bar, each slot counted once. snapshot_count beside expected_count shows a bar over a gap. All bars of all pages are in rising order.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: Query,
  reply: Bars,
  errors: ['market_not_found'],
  table: {
    columns: Object.keys(Bar.shape),
    rows: ({ bars }) => bars,
    envelope: (reply) => ({ ...reply, bars: undefined }),
  },

  async handle(question) {
    const { query, stores, signal } = question
    const { market, request, nextCursor, emptyReason } = await pageOf(question)
    const rows = emptyReason === undefined ? await stores.bars.range(request, signal) : []
    return {
      body: {
        market_id: market.id,
        token_id: market.tokenIds[query.side === 'UP' ? 0 : 1],
        side: query.side,
        interval: query.interval,
        bars: rows.map(barOf),
        next_cursor: nextCursor,
        ...(emptyReason && { empty_reason: emptyReason }),
      },
      emptyReason,
    }
  },

  async parquet(question) {
    const { request, nextCursor, emptyReason } = await pageOf(question)
    const pieces = await question.stores.bars.parquet(request, question.signal)
    const rowCount = request.endBar - request.firstBar
    return { pieces, aside: { nextCursor: nextCursor ?? undefined, rowCount }, emptyReason }
  },
})

/** Bars have no holes between them, so a page is found by counting. */
async function pageOf({ params, query, stores, caller, nowMs, require }: BarQuestion): Promise<Page> {
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  const life = await recordedLife(stores, market, nowMs)
  if (life === undefined) return nothing(market, query, 'not_recorded_yet')
  const asked = rangeAsked({ query, caller, nowMs, require }, life)
  const barMs = BAR_MS[query.interval]
  // A bar that has begun before the moment asked for is left out; one that only the record cuts is shown.
  const isCut = query.from !== undefined || asked.isTierBounded
  const fromMs = isCut ? Math.ceil(asked.fromMs / barMs) * barMs : asked.fromMs
  const range = withinLife({ ...asked, fromMs }, life)
  if (range === undefined) return nothing(market, query, 'outside_capture')
  const end = Math.ceil(range.toMs / barMs)
  const firstBar = firstOfPage(query, Math.floor(range.fromMs / barMs), end)
  const endBar = Math.min(end, firstBar + query.limit)
  const nextCursor = endBar < end ? cursorOf([query.interval, endBar]) : null
  return { market, request: { ...tokenOf(market, query), firstBar, endBar, life }, nextCursor }
}

function nothing(market: StoredMarket, query: BarQuery, emptyReason: EmptyReason): Page {
  const request = { ...tokenOf(market, query), firstBar: 0, endBar: 0, life: { fromMs: 0, toMs: 0 } }
  return { market, request, emptyReason, nextCursor: null }
}

function tokenOf({ id, captureIntervalMs }: StoredMarket, { side, interval }: BarQuery) {
  return { marketId: id, intervalMs: captureIntervalMs, side, barMs: BAR_MS[interval] }
}

function firstOfPage({ cursor, from, interval, limit }: BarQuery, earliest: number, end: number): number {
  if (cursor === undefined) return from === undefined ? Math.max(earliest, end - limit) : earliest
  const position = positionIn(cursor, z.tuple([z.literal(interval), z.int()]))
  if (position === undefined || position[1] < earliest || position[1] >= end) {
    throw new ApiError('invalid_request', 'cursor: not one of a page with these parameters')
  }
  return position[1]
}

function barOf({ start_ms, ...figures }: BarRow): z.infer<typeof Bar> {
  return { start: instantOf(start_ms), ...figures }
}
