import type { Category, Market } from '../../src/domain/market.ts'
import { CATEGORY_PLANS, type CategoryPlan } from '../../src/domain/plan.ts'
import { namesOf } from '../../src/venues/kalshi/market-names.ts'
import { KalshiProtocol } from '../../src/venues/kalshi/socket-protocol.ts'

/** A made-up market, and frames about it in the documented form. */
export const TICKER = 'KXTEST-26NOV17-T1.5'
export const NAMES = namesOf(TICKER)

export const MARKET: Market = {
  id: NAMES.marketId,
  venue: 'kalshi',
  venueKey: TICKER,
  tokenIds: [NAMES.yesTokenId, NAMES.noTokenId],
  outcomeNames: ['Yes', 'No'],
  slug: TICKER.toLowerCase(),
  question: 'Test?',
  label: 'Test',
  eventSlug: 'kxtest-26nov17',
  eventTitle: 'Test?',
  priceGrid: [{ from: 0, to: 10_000, step: 100 }],
  facts: { series: 'KXTEST' },
  endsAtMs: 1_790_000_000_000,
  planId: 'crypto',
  captureIntervalMs: 250,
  category: 'crypto',
  subcategory: 'BTC',
  timeframe: 'hit-price',
}

export function planOf(category: Category): CategoryPlan {
  const plan = CATEGORY_PLANS.find((each) => each.category === category)
  if (plan === undefined) throw new Error(`no plan for ${category}`)
  return plan
}

type Pair = readonly [price: string, size: string]

export const frames = {
  subscribed: (sid: number, channel: string, id = 1) =>
    JSON.stringify({ type: 'subscribed', id, msg: { channel, sid } }),
  snapshot: (sid: number, seq: number, sides: { yes?: readonly Pair[]; no?: readonly Pair[]; ticker?: string } = {}) =>
    JSON.stringify({
      type: 'orderbook_snapshot',
      sid,
      seq,
      msg: {
        market_ticker: sides.ticker ?? TICKER,
        market_id: 'f3b1',
        ...(sides.yes && { yes_dollars_fp: sides.yes }),
        ...(sides.no && { no_dollars_fp: sides.no }),
      },
    }),
  delta: (sid: number, seq: number, more: Readonly<Record<string, unknown>> = {}) =>
    JSON.stringify({
      type: 'orderbook_delta',
      sid,
      seq,
      msg: {
        market_ticker: TICKER,
        market_id: 'f3b1',
        price_dollars: '0.4200',
        delta_fp: '3.00',
        side: 'yes',
        ts: '2026-11-17T12:00:00.250000Z',
        ts_ms: 1_794_916_800_250,
        ...more,
      },
    }),
  trade: (sid: number, seq: number, more: Readonly<Record<string, unknown>> = {}) =>
    JSON.stringify({
      type: 'trade',
      sid,
      seq,
      msg: {
        trade_id: '01234567-89ab-cdef-0123-456789abcdef',
        market_ticker: TICKER,
        yes_price_dollars: '0.4200',
        no_price_dollars: '0.5800',
        count_fp: '2.50',
        taker_side: 'yes',
        taker_outcome_side: 'yes',
        taker_book_side: 'bid',
        ts: 1_794_916_800,
        ts_ms: 1_794_916_800_250,
        ...more,
      },
    }),
  ok: (sid: number, seq: number, tickers: readonly string[] = [TICKER]) =>
    JSON.stringify({ type: 'ok', id: 2, sid, seq, msg: { market_tickers: tickers } }),
  error: (code: number, msg: string) => JSON.stringify({ type: 'error', id: 3, msg: { code, msg } }),
}

export const AT_MS = 1_794_916_801_000.4
/** The numbers of the subscriptions. */
export const [BOOKS, TRADES] = [2, 1]

/** A connection on which the venue has confirmed both channels. */
export function opened(): KalshiProtocol {
  const protocol = new KalshiProtocol()
  protocol.subscribeFrames(MARKET.tokenIds)
  for (const frame of [frames.subscribed(TRADES, 'trade'), frames.subscribed(BOOKS, 'orderbook_delta', 2)])
    protocol.decode(frame, AT_MS)
  return protocol
}
