import { hash } from 'node:crypto'

export interface Level {
  readonly price: string
  readonly size: string
}

/** Everything the venue hashes. `bids` ascend and `asks` descend: the best price comes last. */
export interface HashedBook {
  readonly market: string
  readonly assetId: string
  readonly timestamp: string
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
  readonly minOrderSize: string
  readonly tickSize: string
  readonly negRisk: boolean
  readonly lastTradePrice: string
  readonly version: 'v1' | 'v2'
}

/** The hash that the venue publishes for this book: SHA-1 of compact JSON in exactly this key order. */
export function bookHash(book: HashedBook): string {
  return bookHasher(book)(book.lastTradePrice)
}

/** The same for many last trade prices, without writing the levels again for each. */
export function bookHasher(book: Omit<HashedBook, 'lastTradePrice'>): (lastTradePrice: string) => string {
  const upToLastTrade = JSON.stringify({
    market: book.market,
    asset_id: book.assetId,
    timestamp: book.timestamp,
    hash: '',
    bids: book.bids,
    asks: book.asks,
    min_order_size: book.minOrderSize,
    tick_size: book.tickSize,
    neg_risk: book.negRisk,
  }).slice(0, -'}'.length)
  const end = book.version === 'v2' ? ',"version":"v2"}' : '}'
  return (lastTradePrice) =>
    hash('sha1', `${upToLastTrade},"last_trade_price":${JSON.stringify(lastTradePrice)}${end}`, 'hex')
}
