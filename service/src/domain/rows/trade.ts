import { hexId, instant, uint8, uint16, uint64 } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

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
  /** 0, or the place among the equal fills of one frame: the venue gives trades no id. */
  occurrence: number
}

export const NO_TRANSACTION = `0x${'0'.repeat(64)}`

/** Every column but received_at is part of the key, so a trade that arrives twice is stored once. */
export const tradeSchema = rowSchemaOf<Trade>()(
  ({ column, addedColumn }) => ({
    market_id: column(hexId, (trade) => trade.marketId),
    traded_at: column(instant, (trade) => trade.tradedAtMs),
    transaction_hash: column(hexId, (trade) => trade.transactionHash),
    outcome: column(uint8, (trade) => trade.outcome),
    is_buy: column(uint8, (trade) => (trade.side === 'BUY' ? 1 : 0)),
    price: column(uint16, (trade) => trade.price),
    size: column(uint64, (trade) => trade.size),
    received_at: column(instant, (trade) => trade.receivedAtMs),
    occurrence: addedColumn(uint8, (trade) => trade.occurrence, { since: 2, before: 0 }),
  }),
  (values) => ({
    marketId: values.market_id,
    outcome: values.outcome === 0 ? 0 : 1,
    side: values.is_buy === 1 ? 'BUY' : 'SELL',
    price: values.price,
    size: values.size,
    tradedAtMs: values.traded_at,
    receivedAtMs: values.received_at,
    transactionHash: values.transaction_hash,
    occurrence: values.occurrence,
  }),
)

export const { write: writeTrade, read: readTrade, columns: TRADE_COLUMNS } = tradeSchema
