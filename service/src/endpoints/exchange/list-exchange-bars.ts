import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import type { PerpBarRow } from '../../stores/books/perp-bars.ts'
import { endpoint } from '../endpoint.ts'
import { BAR_LENGTHS, BAR_MS } from '../history/list-bars.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment, wholeNumber } from '../schemas/parameters.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor, wrongCursor } from '../shared/cursor.ts'
import { perpRangeOf, RESTRICTION, restrictionMembers } from '../shared/perp-page.ts'
import { recordedPerp } from '../shared/perp-slots.ts'

/** A page reads the books of at most this time, whatever its number of bars. */
const MOST_MS = 7 * 86_400_000

const price = z.number().nullable()

const PerpBar = z
  .object({
    start: Instant.describe('start of the bar, aligned to the Unix epoch'),
    open: price.describe('mid price of the first book with both sides; null in a bar without one'),
    high: price,
    low: price,
    close: price.describe('mid price of the last book'),
    last_spread: price,
    avg_spread: price,
    avg_bid_depth: price.describe('mean size of all bids, in coins'),
    avg_ask_depth: price,
    snapshot_count: z.int(),
    expected_count: z
      .int()
      .describe('slots of the bar in the recorded time; more than snapshot_count where there is a gap'),
  })
  .meta({ id: 'PerpBar' })

export const listExchangeBars = endpoint({
  method: 'GET',
  path: '/v1/exchange/bars',
  name: 'list_exchange_bars',
  group: 'Exchange',
  summary: 'List bars of a perpetual future: open, high, low and close of the mid price, with spread and depth',
  description: `Computed from every stored book. A page has at most \`limit\` bars and at most 7 days. Bars are in ascending order within and across pages. ${RESTRICTION}`,
  access: { by: 'key', scope: 'history' },
  query: z
    .object({
      symbol: SymbolParameter,
      exchange: OptionalExchange,
      interval: z.enum(BAR_LENGTHS).default('1m').describe('length of a bar'),
      from: Moment.optional().describe(
        'bars that start at or after this time; without it, the newest bars of the 24 hours before `to`',
      ),
      to: Moment.optional().describe('bars that start before this time; default: now'),
      limit: wholeNumber(1, 1_000).default(300).describe('bars per page'),
      cursor: Cursor.optional(),
    })
    .check(fromBeforeTo),
  reply: z.object({
    exchange: z.string(),
    symbol: z.string(),
    venue: z.string().describe('the venue of the exchange'),
    interval: z.enum(BAR_LENGTHS),
    bars: z.array(PerpBar).describe('every bar of the page by time, also bars without books'),
    next_cursor: NextCursor,
    ...restrictionMembers,
    empty_reason: z.string().optional(),
  }),
  errors: ['tier_not_allowed'],
  table: { columns: Object.keys(PerpBar.shape), rows: ({ bars }) => bars, inRows: ['bars'] },

  async handle(request) {
    const { query, perps, signal } = request
    const { interval } = query
    const found = await perpRangeOf(request, (perp) => recordedPerp(request, perp))
    const { perp, recorded, range, emptyReason, members } = found
    if (range === undefined || recorded === undefined)
      return {
        body: { ...members, interval, bars: [], next_cursor: null, ...(emptyReason && { empty_reason: emptyReason }) },
        emptyReason,
      }
    const barMs = BAR_MS[interval]
    const list = `exchange bars ${perp.venue} ${perp.symbol} ${interval}`
    const isCut = range.fromMs > recorded.fromMs
    const earliest = isCut ? Math.ceil(range.fromMs / barMs) : Math.floor(recorded.fromMs / barMs)
    const end = Math.ceil(range.toMs / barMs)
    const [cursorBar] = decodeCursor(query.cursor, list, z.tuple([z.int()])) ?? []
    if (cursorBar !== undefined && (cursorBar < earliest || cursorBar >= end)) throw wrongCursor()
    const most = Math.max(1, Math.min(query.limit, Math.floor(MOST_MS / barMs)))
    const firstBar = cursorBar ?? (query.from === undefined ? Math.max(earliest, end - most) : earliest)
    const endBar = Math.min(end, firstBar + most)
    const wanted = { ...perp, intervalMs: PERP_INTERVAL_MS, barMs, firstBar, endBar, recorded }
    const rows = firstBar >= endBar ? [] : await perps.bars(wanted, signal)
    const why = rows.length === 0 ? ('outside_capture' as const) : undefined
    return {
      body: {
        ...members,
        interval,
        bars: rows.map(barOf),
        next_cursor: endBar < end ? encodeCursor(list, [endBar]) : null,
        ...(why && { empty_reason: why }),
      },
      emptyReason: why,
    }
  },
})

function barOf({ start_ms, ...figures }: PerpBarRow): z.infer<typeof PerpBar> {
  return { start: instantOf(start_ms), ...figures }
}
