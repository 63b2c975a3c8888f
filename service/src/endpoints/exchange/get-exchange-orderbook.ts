import { z } from 'zod'
import { noRecentData } from '../../domain/api-error.ts'
import { LIVE_FOR_MS } from '../../domain/plan.ts'
import type { PerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { endpoint } from '../endpoint.ts'
import { instantOf } from '../schemas/instant.ts'
import {
  bothPricesOf,
  ExchangeParameter,
  PerpBook,
  perpBookOf,
  pricesOfBothSides,
  SymbolParameter,
} from '../schemas/perp-book.ts'

export const getExchangeOrderbook = endpoint({
  method: 'GET',
  path: '/v1/exchange/orderbook',
  name: 'get_exchange_orderbook',
  group: 'Exchange',
  summary: 'Get the live book of a perpetual future',
  access: { by: 'key', scope: 'live', capability: 'live_exchange_book' },
  query: z.object({ symbol: SymbolParameter, exchange: ExchangeParameter }),
  reply: z.object({
    ...PerpBook.omit({ proof: true, venue: true }).shape,
    ...pricesOfBothSides,
    age_ms: z.int().describe('age of the sample'),
    event_age_ms: z.int().describe('age of the book, by the venue’s time'),
    touch_age_ms: z
      .int()
      .nullable()
      .describe('age of the best prices from the faster stream, by the venue’s time; null without them'),
    proof: PerpBook.shape.proof,
    venue: PerpBook.shape.venue,
  }),
  errors: ['no_recent_data'],

  async handle({ query: { symbol, exchange }, perps, nowMs }) {
    const row = await perps.newest({ venue: exchange, symbol })
    // A book with an empty side is not live.
    const prices = row && bothPricesOf(row.ladders)
    if (row === undefined || prices === undefined || !isFresh(row, nowMs)) {
      const details = { exchange: `${exchange}_perp`, symbol, newest: row ? instantOf(row.capturedAtMs) : null }
      throw noRecentData({ details, retryAfterSeconds: 1 })
    }
    const since = (atMs: number): number => Math.max(0, Math.round(nowMs - atMs))
    return {
      body: {
        ...perpBookOf(row),
        ...prices,
        age_ms: since(row.capturedAtMs),
        event_age_ms: since(row.eventAtMs),
        touch_age_ms: row.touch.eventAtMs === 0 ? null : since(row.touch.eventAtMs),
      },
    }
  },
})

/** A new sample of an old book is not live. */
function isFresh({ capturedAtMs, eventAtMs }: PerpSnapshot, nowMs: number): boolean {
  return nowMs - Math.min(capturedAtMs, eventAtMs) <= LIVE_FOR_MS
}
