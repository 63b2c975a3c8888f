import { usdOf } from '../../domain/decimal.ts'
import type { PerpContext } from '../../domain/rows/perp-context.ts'
import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import type { PerpTrade } from '../../domain/rows/perp-trade.ts'
import { type TapeRow, tapeMarketId } from '../../domain/rows/tape-row.ts'
import { NO_TRANSACTION, type Trade } from '../../domain/rows/trade.ts'
import { slotAt } from '../../domain/slot.ts'
import { priceOf, sizeOf } from '../../endpoints/schemas/book-figures.ts'
import type { StreamMarket } from '../markets/stream-market.ts'

/** What a venue told besides books: a fill of a prediction market, a trade or a context of a perp. */
export type Told = { readonly kind: 'fill'; readonly row: Trade } | TapeRow
export type ToldKind = Told['kind']

const PERP_ONE = 10 ** PERP_DECIMALS

export function toldMarketId(told: Told): string {
  return told.kind === 'fill' ? told.row.marketId : tapeMarketId(told)
}

/** Identifies a trade without its receive time, so that a repeated trade is sent once. */
export function toldKey(told: Told): string {
  if (told.kind === 'trade') return `trade ${told.row.tradeId} ${told.row.tradedAtMs}`
  if (told.kind === 'context') return `context ${told.row.receivedAtMs}`
  const { transactionHash, outcome, side, price, size, tradedAtMs, occurrence } = told.row
  return `${transactionHash} ${outcome} ${side} ${price} ${size} ${tradedAtMs} ${occurrence}`
}

/** The slot in which it was received; several may have the same. */
export function toldSeq({ intervalMs }: StreamMarket, { row }: Told): number {
  return slotAt(row.receivedAtMs, intervalMs)
}

export function toldFrame(market: StreamMarket, told: Told, prevSeq: number | null, sentAtMs: number): string {
  const { receivedAtMs } = told.row
  const places = { market: market.name, seq: toldSeq(market, told), prev_seq: prevSeq }
  const times = { received_at: receivedAtMs, captured_at: receivedAtMs, sent_at: sentAtMs }
  if (told.kind === 'context')
    return JSON.stringify({ channel: 'context', type: 'context', ...places, ...times, ...contextFigures(told.row) })
  const type = told.kind === 'fill' ? 'trade' : 'perp_trade'
  const figures = told.kind === 'fill' ? fillFigures(market, told.row) : tradeFigures(told.row)
  return JSON.stringify({
    channel: 'trade',
    type,
    ...places,
    event_at: told.row.tradedAtMs,
    ...times,
    flags: [],
    ...figures,
  })
}

function fillFigures({ listed }: StreamMarket, trade: Trade): object {
  const { outcome, side, price, size, transactionHash, occurrence } = trade
  return {
    token: listed?.tokenIds[outcome] ?? '',
    side: outcome === 0 ? 'UP' : 'DOWN',
    action: side === 'BUY' ? 'buy' : 'sell',
    price: priceOf(price),
    size: sizeOf(size),
    transaction_hash: transactionHash === NO_TRANSACTION ? null : transactionHash,
    occurrence,
  }
}

function tradeFigures({ tradeId, side, price, size, transactionHash }: PerpTrade): object {
  return {
    trade_id: tradeId,
    action: side === 'BUY' ? 'buy' : 'sell',
    price: price / PERP_ONE,
    size: size / PERP_ONE,
    transaction_hash: transactionHash === NO_TRANSACTION ? null : transactionHash,
  }
}

function contextFigures({ book, ...context }: PerpContext): object {
  const ofBook = (units: bigint | undefined): number | null => (units === undefined ? null : usdOf(units))
  return {
    funding_rate: usdOf(context.funding),
    premium: ofBook(book?.premium),
    open_interest: usdOf(context.openInterest),
    mark_price: usdOf(context.markPrice),
    oracle_price: usdOf(context.oraclePrice),
    mid_price: ofBook(book?.midPrice),
    impact_bid: ofBook(book?.impactBid),
    impact_ask: ofBook(book?.impactAsk),
    previous_day_price: usdOf(context.previousDayPrice),
    day_volume: usdOf(context.dayVolume),
    day_notional_usd: usdOf(context.dayNotional),
  }
}
