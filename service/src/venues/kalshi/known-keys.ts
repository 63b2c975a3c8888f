import type { Fields } from '../frame-fields.ts'

const keys = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Every key that is known in each kind of message; another key means that the venue has changed something. */
const KNOWN_KEYS = {
  orderbook_snapshot: keys('market_ticker market_id yes_dollars_fp no_dollars_fp'),
  orderbook_delta: keys('market_ticker market_id price_dollars delta_fp side ts ts_ms client_order_id subaccount'),
  trade: keys(
    'trade_id market_ticker market_id yes_price_dollars no_price_dollars count_fp taker_side taker_outcome_side taker_book_side is_block_trade ts ts_ms',
  ),
} as const

export type DataType = keyof typeof KNOWN_KEYS

export function isDataType(type: string): type is DataType {
  return Object.hasOwn(KNOWN_KEYS, type)
}

/** The first key that is not known for the type. */
export function unknownKeyIn(message: Fields, type: DataType): string | undefined {
  const known = KNOWN_KEYS[type]
  for (const key in message) if (!known.has(key)) return key.slice(0, 40)
  return undefined
}
