import type { RowReader, RowWriter } from './row-binary.ts'

/** One fill as the venue told it, from the taker's side. */
export interface Trade {
  marketId: string
  outcome: 0 | 1
  side: 'BUY' | 'SELL'
  /** Units of 0.0001 and 0.000001. */
  price: number
  size: number
  tradedAtMs: number
  receivedAtMs: number
  /** `0x` and 64 hex digits; several trades may share one. Zeros when the venue gave none. */
  transactionHash: string
}

export const NO_TRANSACTION = `0x${'0'.repeat(64)}`

/** All of it but the time of receipt is the key, so that a trade told twice is kept once. */
export const TRADE_COLUMNS = [
  ['market_id', 'FixedString(32)'],
  ['traded_at', "DateTime64(3, 'UTC')"],
  ['transaction_hash', 'FixedString(32)'],
  ['outcome', 'UInt8'],
  ['is_buy', 'UInt8'],
  ['price', 'UInt16'],
  ['size', 'UInt64'],
  ['received_at', "DateTime64(3, 'UTC')"],
] as const

export function writeTrade(writer: RowWriter, trade: Trade): void {
  writer.hexBytes(trade.marketId, 32)
  writer.uint64(trade.tradedAtMs)
  writer.hexBytes(trade.transactionHash, 32)
  writer.uint8(trade.outcome)
  writer.uint8(trade.side === 'BUY' ? 1 : 0)
  writer.uint16(trade.price)
  writer.uint64(trade.size)
  writer.uint64(trade.receivedAtMs)
}

export function readTrade(reader: RowReader): Trade {
  const marketId = reader.hexBytes(32)
  const tradedAtMs = reader.uint64()
  const transactionHash = reader.hexBytes(32)
  const outcome = reader.uint8() === 0 ? 0 : 1
  const side = reader.uint8() === 1 ? 'BUY' : 'SELL'
  return {
    marketId,
    tradedAtMs,
    transactionHash,
    outcome,
    side,
    price: reader.uint16(),
    size: reader.uint64(),
    receivedAtMs: reader.uint64(),
  }
}
