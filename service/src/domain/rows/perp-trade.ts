import { hexId, instant, lowCardinality, uint8, uint64 } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** One fill of a perp as the venue told it, from the taker's side. */
export interface PerpTrade {
  venue: string
  symbol: string
  /** The venue's own number: unique with the symbol and the time. */
  tradeId: number
  side: 'BUY' | 'SELL'
  /** Units of 0.000001. */
  price: number
  size: number
  tradedAtMs: number
  receivedAtMs: number
  /** `0x` and 64 hex digits. Zeros for a trade without a transaction of a user. */
  transactionHash: string
}

/** The key is (venue, symbol, traded_at, trade_id), so a trade that arrives twice is stored once. */
export const perpTradeSchema = rowSchemaOf<PerpTrade>()(
  ({ column }) => ({
    venue: column(lowCardinality, (trade) => trade.venue),
    symbol: column(lowCardinality, (trade) => trade.symbol),
    traded_at: column(instant, (trade) => trade.tradedAtMs),
    trade_id: column(uint64, (trade) => trade.tradeId),
    is_buy: column(uint8, (trade) => (trade.side === 'BUY' ? 1 : 0)),
    price: column(uint64, (trade) => trade.price),
    size: column(uint64, (trade) => trade.size),
    received_at: column(instant, (trade) => trade.receivedAtMs),
    transaction_hash: column(hexId, (trade) => trade.transactionHash),
  }),
  (values) => ({
    venue: values.venue,
    symbol: values.symbol,
    tradeId: values.trade_id,
    side: values.is_buy === 1 ? 'BUY' : 'SELL',
    price: values.price,
    size: values.size,
    tradedAtMs: values.traded_at,
    receivedAtMs: values.received_at,
    transactionHash: values.transaction_hash,
  }),
)

export const { write: writePerpTrade, read: readPerpTrade, columns: PERP_TRADE_COLUMNS } = perpTradeSchema
