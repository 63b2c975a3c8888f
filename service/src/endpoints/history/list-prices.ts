import { z } from 'zod'
import { usdOf } from '../../domain/decimal.ts'
import { PRICE_KINDS, PRICE_SOURCES, type PriceSource } from '../../domain/price.ts'
import type { Price } from '../../domain/rows/price.ts'
import { overlapOf } from '../../domain/time-range.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment, Order, wholeNumber } from '../schemas/parameters.ts'
import { SymbolParameter } from '../schemas/perp-book.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { HistoryFrom, historyFromMember, requestedRange } from '../shared/requested-range.ts'

const DAY_MS = 86_400_000

const SOURCES = PRICE_SOURCES.map((source) => `\`${source}\`: ${PRICE_KINDS[source].about}`).join('; ')

const CoinPriceEntry = z
  .object({
    coin: z.string(),
    source: z.enum(PRICE_SOURCES),
    price: z.number().describe('in USD, or in USDT if the source has that'),
    price_at: Instant.describe('time of the price'),
    time_from: z.enum(['venue', 'receipt']).describe('receipt when the source gives no time'),
    received_at: Instant.describe('time of receipt'),
  })
  .meta({ id: 'CoinPrice' })

const CoinPrices = z.object({
  coin: z.string(),
  source: z.enum(PRICE_SOURCES),
  kind: z.enum(['spot', 'average']).describe('average: the mean of 60 seconds'),
  prices: z.array(CoinPriceEntry).describe('at most one per second; a second without a price has no row'),
  next_cursor: NextCursor,
  history_from: HistoryFrom,
  empty_reason: z.string().optional(),
})

export const listPrices = endpoint({
  method: 'GET',
  path: '/v1/prices',
  name: 'list_prices',
  group: 'History',
  summary: 'List the recorded prices of a coin from one source',
  description: `The spot and settlement prices that are recorded beside the books; sources are never merged. ${SOURCES}. A price that the source corrected is returned as corrected. The price that a window started and ended with is in the market itself.`,
  access: { by: 'key', scope: 'history' },
  query: z
    .object({
      coin: SymbolParameter,
      source: z.enum(PRICE_SOURCES).describe(PRICE_SOURCES.join(', ')),
      from: Moment.optional().describe('earliest time of a price, included; default: 24 hours before `to`'),
      to: Moment.optional().describe('latest time of a price, not included; default: now'),
      limit: wholeNumber(1, 5_000).default(100),
      order: Order.optional().describe('by time; asc when `from` is given, else desc'),
      cursor: Cursor.optional(),
    })
    .check(fromBeforeTo),
  reply: CoinPrices,
  errors: [],
  table: { columns: Object.keys(CoinPriceEntry.shape), rows: ({ prices }) => prices, inRows: ['prices'] },

  async handle(request) {
    const { query, stores, nowMs, signal } = request
    const { coin, source } = query
    const requested = requestedRange(request, nowMs)
    const dayBeforeMs = Math.max((query.to ?? nowMs) - DAY_MS, requested.fromMs)
    const asked = { fromMs: query.from ?? dayBeforeMs, toMs: requested.toMs }
    const sinceMs = await stores.prices.recordedSince({ source, coin })
    const range = sinceMs === undefined ? undefined : overlapOf(asked, { fromMs: sinceMs, toMs: nowMs })
    const order = query.order ?? (query.from === undefined ? 'desc' : 'asc')
    const list = `prices ${source} ${coin} ${order}`
    const [afterMs] = decodeCursor(query.cursor, list, z.tuple([CursorTime])) ?? []
    const limit = query.limit + 1
    const found =
      range === undefined
        ? []
        : await stores.prices.range({ source, coin, ...range }, { order, limit, afterMs }, signal)
    const prices = found.slice(0, query.limit)
    const last = found.length > prices.length ? prices.at(-1) : undefined
    const whyNone = sinceMs === undefined ? 'not_recorded_yet' : range === undefined ? 'outside_capture' : 'gap'
    const emptyReason = prices.length > 0 ? undefined : whyNone
    return {
      body: {
        coin,
        source,
        kind: PRICE_KINDS[source].kind,
        prices: prices.map(entryOf),
        next_cursor: last === undefined ? null : encodeCursor(list, [last.priceAtMs]),
        ...historyFromMember(requested, sinceMs),
        ...(emptyReason && { empty_reason: emptyReason }),
      },
      emptyReason,
    }
  },
})

function entryOf({ coin, source, price, priceAtMs, isVenueTime, receivedAtMs }: Price): z.infer<typeof CoinPriceEntry> {
  return {
    coin,
    source: source as PriceSource,
    price: usdOf(price),
    price_at: instantOf(priceAtMs),
    time_from: isVenueTime ? 'venue' : 'receipt',
    received_at: instantOf(receivedAtMs),
  }
}
