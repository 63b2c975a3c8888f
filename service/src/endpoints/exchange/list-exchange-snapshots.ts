import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { BOOK_PRICE } from '../../domain/prices.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import { endpoint } from '../endpoint.ts'
import { instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment, Order, wholeNumber } from '../schemas/parameters.ts'
import { OptionalExchange, PerpBook, perpBookOf, SymbolParameter } from '../schemas/perp-book.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor } from '../shared/cursor.ts'
import { restrictedFromMember } from '../shared/perp-page.ts'
import { requestedRange } from '../shared/requested-range.ts'

const DAY_MS = 86_400_000
/** Rows captured up to now may have a slightly later time of capture. */
const CLOCK_MARGIN_MS = 5_000

export const listExchangeSnapshots = endpoint({
  method: 'GET',
  path: '/v1/exchange/snapshots',
  name: 'list_exchange_snapshots',
  group: 'Exchange',
  summary: 'List the stored books of a perpetual future',
  description:
    'Without `from`, the 24 hours before `to`. The header `X-Next-Cursor` is set when a page follows; `X-From` is the start of the range. Books of the last 60 seconds are for the tiers that have the live exchange book; for the others the header `X-Restricted-From` tells where the list ends.',
  access: { by: 'key', scope: 'history' },
  priceRule: BOOK_PRICE,
  query: z
    .object({
      symbol: SymbolParameter,
      exchange: OptionalExchange,
      from: Moment.optional().describe('earliest time of capture, included; default: 24 hours before `to`'),
      to: Moment.optional().describe('latest time of capture, not included; default: now'),
      limit: wholeNumber(1, 500).default(100),
      order: Order.optional().describe('asc when `from` is given, else desc'),
      cursor: Cursor.optional().describe(
        '`X-Next-Cursor` of the previous page; all other parameters must stay the same',
      ),
    })
    .check(fromBeforeTo),
  reply: z.array(PerpBook),
  errors: [],

  async handle(request) {
    const { query, perps, paidRead, signal, callerContext } = request
    const { symbol, exchange: venue, limit } = query
    const nowMs = paidRead?.atMs ?? request.nowMs
    const requested = requestedRange({ ...request, nowMs }, nowMs + CLOCK_MARGIN_MS)
    const dayBefore = (query.to ?? nowMs) - DAY_MS
    const fromMs = query.from ?? Math.max(dayBefore, requested.fromMs)
    const range = { fromMs, toMs: requested.toMs, intervalMs: PERP_INTERVAL_MS }
    const marketId = perpMarketId(venue, symbol)
    const list = `exchange snapshots ${marketId}`
    const Position = z.tuple([query.order === undefined ? Order : z.literal(query.order), CursorTime])
    const [cursorOrder, afterSlot] = decodeCursor(query.cursor, list, Position) ?? []
    const order = cursorOrder ?? query.order ?? (query.from === undefined ? 'desc' : 'asc')
    await callerContext?.requireBooks(1)
    const page = { order, limit: limit + 1, afterSlot, upToSlot: paidRead?.upToSlot }
    const rows = await perps.captured({ venue, symbol, ...range }, page, signal)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = last && rows.length > limit ? encodeCursor(list, [order, last.slot]) : undefined
    const restricted = restrictedFromMember(perps, requested.toMs, nowMs).restricted_from
    const aside = { nextCursor: next, from: instantOf(fromMs), restrictedFrom: restricted }
    const readUpToSlot = rows.reduce((newest, { slot }) => Math.max(newest, slot), 0)
    if (last !== undefined)
      return { body: shown.map(perpBookOf), aside, readUpToSlot, exactBooks: (books) => books.length }
    if (fromMs >= perps.untilMs) return { body: [], aside, emptyReason: 'tier' }
    const gaps = await perps.gaps({ venue, symbol, fromMs, toMs: Math.min(range.toMs, nowMs) })
    return { body: [], aside, emptyReason: gaps.length > 0 ? 'gap' : 'outside_capture' }
  },
})
