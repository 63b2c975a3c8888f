import { type Level, PRICE_ONE, type SideName } from '../world/book.ts'
import type { Delta, KalshiTrade } from './happenings.ts'
import type { KalshiMarket } from './kalshi-market.ts'
import { contracts, dollars, microTime, seconds, shortTime } from './number-text.ts'

/**
 * Frames are built in two parts, because all clients of a market share what follows `sid` and `seq`. Only answers to a
 * command have its `id`.
 */
export function headOf(type: string, sid: number, seq: number | undefined, id?: number): string {
  const [idPart, seqPart] = [id === undefined ? '' : `"id":${id},`, seq === undefined ? '' : `,"seq":${seq}`]
  return `{"type":"${type}",${idPart}"sid":${sid}${seqPart}`
}

/** Bids for NO stand in the book as asks for YES. */
function priceOf(side: SideName, price: number, useYesPrice: boolean): number {
  return side === 'bids' || useYesPrice ? price : PRICE_ONE - price
}

function pairTexts(levels: readonly { price: number; size: number }[]): string {
  return `[${levels.map(({ price, size }) => `["${dollars(price)}","${contracts(size)}"]`).join(',')}]`
}

/** Bids for YES and NO, ascending, so that the best of each is its last. */
export function bidTexts({ book }: KalshiMarket, depth = Number.POSITIVE_INFINITY): { yes: string; no: string } {
  const deepest = (levels: readonly Level[]): readonly Level[] => levels.slice(Math.max(0, levels.length - depth))
  const no = book.asks.toReversed().map(({ price, size }) => ({ price: PRICE_ONE - price, size }))
  return { yes: pairTexts(deepest(book.bids)), no: pairTexts(deepest(no)) }
}

/** An empty side is left out. */
export function snapshotTail(market: KalshiMarket, useYesPrice: boolean): string {
  const { book, ticker, id } = market
  // A recorded snapshot without levels names the id first.
  if (book.bids.length === 0 && book.asks.length === 0)
    return `,"msg":{"market_id":"${id}","market_ticker":"${ticker}"}}`
  const { yes, no } = bidTexts(market)
  const sides = [
    ...(book.bids.length > 0 ? [`"yes_dollars_fp":${yes}`] : []),
    ...(book.asks.length > 0 ? [`"no_dollars_fp":${useYesPrice ? pairTexts(book.asks) : no}`] : []),
  ]
  return `,"msg":{"market_ticker":"${ticker}","market_id":"${id}",${sides.join(',')}}}`
}

/** `change` can differ from the true one, as a fault. */
export function deltaTail(delta: Delta, useYesPrice: boolean, stampMs: number, change = delta.change): string {
  const { market, side, price } = delta
  const shown = dollars(priceOf(side, price, useYesPrice))
  return `,"msg":{"market_ticker":"${market.ticker}","market_id":"${market.id}","price_dollars":"${shown}","delta_fp":"${contracts(change)}","side":"${side === 'bids' ? 'yes' : 'no'}","ts":"${microTime(stampMs, market.changes)}","ts_ms":${stampMs}}}`
}

export function tradeTail({ id, market, price, size, taker }: KalshiTrade, stampMs: number): string {
  return `,"msg":{"trade_id":"${id}","market_ticker":"${market.ticker}","yes_price_dollars":"${dollars(price)}","no_price_dollars":"${dollars(PRICE_ONE - price)}","count_fp":"${contracts(size)}","taker_side":"${taker}","taker_outcome_side":"${taker}","taker_book_side":"${taker === 'yes' ? 'bid' : 'ask'}","ts":${seconds(stampMs)},"ts_ms":${stampMs}}}`
}

/** Best prices of YES as the venue shows them: 0 and 1 without a size mean an empty side. */
export function topOfBook({ book }: KalshiMarket): { bid: number; bidSize: number; ask: number; askSize: number } {
  return {
    bid: book.bestBid,
    bidSize: book.bids.at(-1)?.size ?? 0,
    ask: book.bestAsk,
    askSize: book.asks[0]?.size ?? 0,
  }
}

export function tickerTail(market: KalshiMarket, stampMs: number): string {
  const { bid, bidSize, ask, askSize } = topOfBook(market)
  const { volume, openInterest } = market
  // The venue counts a contract as half a dollar.
  const halfDollars = (size: number): number => Math.floor(size / 200)
  return `,"msg":{"market_id":"${market.id}","market_ticker":"${market.ticker}","price_dollars":"${dollars(market.lastPrice)}","yes_bid_dollars":"${dollars(bid)}","yes_ask_dollars":"${dollars(ask)}","volume_fp":"${contracts(volume)}","open_interest_fp":"${contracts(openInterest)}","dollar_volume":${halfDollars(volume)},"dollar_open_interest":${halfDollars(openInterest)},"yes_bid_size_fp":"${contracts(bidSize)}","yes_ask_size_fp":"${contracts(askSize)}","last_trade_size_fp":"${contracts(market.lastTradeSize)}","ts":${seconds(stampMs)},"ts_ms":${stampMs},"time":"${shortTime(stampMs)}"}}`
}
