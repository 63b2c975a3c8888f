import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import type { PerpSpan } from '../../stores/books/perp-snapshots.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { instantOf } from '../schemas/instant.ts'
import { Moment, Order, wholeNumber } from '../schemas/parameters.ts'
import { ExchangeParameter, PerpBook, perpBookOf, SymbolParameter } from '../schemas/perp-book.ts'
import { askedTimes } from '../snapshots/requested-range.ts'
import { decodeCursor, encodeCursor } from '../snapshots/snapshot-cursor.ts'
import type { Stores } from '../stores.ts'

const DAY_MS = 86_400_000
const DEFAULT_VENUE = 'hyperliquid'

export const listExchangeSnapshots = endpoint({
  method: 'GET',
  path: '/v1/exchange/snapshots',
  name: 'list_exchange_snapshots',
  group: 'Exchange',
  summary: 'Stored books of a perpetual future, in order',
  description:
    'Without `from`, the 24 hours before `to`. `X-Next-Cursor` is there when more follows, `X-From` says where the range began.',
  access: { by: 'key', scope: 'history' },
  query: z.object({
    symbol: SymbolParameter,
    exchange: ExchangeParameter.optional(),
    from: Moment.optional().describe('earliest time of capture, included; 24 hours before `to` when left out'),
    to: Moment.optional().describe('latest time of capture, not included; now when left out'),
    limit: wholeNumber(1, 500).default(100),
    order: Order.optional().describe('asc when `from` is given, else desc'),
    cursor: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('`X-Next-Cursor` of the page before, with the same parameters'),
  }),
  reply: z.array(PerpBook),
  errors: [],

  async handle(request) {
    const { query, stores, nowMs, signal } = request
    const { symbol, exchange: venue = DEFAULT_VENUE, limit } = query
    const times = askedTimes(request)
    const fromMs = query.from ?? Math.max((query.to ?? nowMs) - DAY_MS, times.fromMs)
    const span = { venue, symbol, intervalMs: PERP_INTERVAL_MS, fromMs, toMs: times.toMs }
    const id = perpMarketId(venue, symbol)
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, id, query.order)
    const order = after?.order ?? query.order ?? (query.from === undefined ? 'desc' : 'asc')
    const page = { order, limit: limit + 1, ...(after && { afterSlot: after.slot }) }
    const rows = await stores.perps.captured(span, page, signal)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = last && rows.length > limit ? encodeCursor({ order, slot: last.slot, outcome: 0 }, id) : undefined
    return {
      body: shown.map(perpBookOf),
      aside: { nextCursor: next, from: instantOf(fromMs) },
      ...(last === undefined && { emptyReason: await whyEmpty(stores, span, nowMs) }),
    }
  },
})

async function whyEmpty({ gaps }: Stores, span: PerpSpan, nowMs: number): Promise<EmptyReason> {
  const { venue, symbol, intervalMs, fromMs, toMs } = span
  const found = await gaps.range({
    marketId: perpMarketId(venue, symbol),
    intervalMs,
    fromMs,
    toMs: Math.min(toMs, nowMs),
  })
  return found.length > 0 ? 'gap' : 'outside_capture'
}
