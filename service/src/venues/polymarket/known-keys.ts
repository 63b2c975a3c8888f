import type { Fields } from '../frame-fields.ts'

const keys = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Every key that was seen in each kind of frame; another key means that the venue has changed something. */
export const KNOWN_KEYS = {
  book: keys(
    'market asset_id timestamp hash bids asks tick_size event_type last_trade_price version min_order_size neg_risk',
  ),
  price_change: keys('market price_changes timestamp event_type'),
  entry: keys('asset_id price size side hash best_bid best_ask'),
  last_trade_price: keys('market asset_id price size fee_rate_bps side timestamp event_type transaction_hash'),
  best_bid_ask: keys('market asset_id best_bid best_ask spread timestamp event_type'),
  tick_size_change: keys('market asset_id old_tick_size new_tick_size timestamp event_type'),
  new_market: keys(
    'id question market slug description assets_ids outcomes event_message timestamp event_type tags condition_id active clob_token_ids sports_market_type line game_start_time order_price_min_tick_size group_item_title taker_base_fee fees_enabled fee_schedule',
  ),
  market_resolved: keys(
    'id market assets_ids winning_asset_id winning_outcome event_message timestamp event_type tags question slug description outcomes',
  ),
} as const

export type Shape = keyof typeof KNOWN_KEYS

/** The first key that is not known for the shape. */
export function unknownKeyIn(fields: Fields, shape: Shape): string | undefined {
  const known = KNOWN_KEYS[shape]
  for (const key in fields) if (!known.has(key)) return key.slice(0, 40)
  return undefined
}
