import assert from 'node:assert/strict'

/** Members of the declared schema, in the order in which they are served. */

const FIGURES = ['best_bid', 'best_ask', 'mid', 'spread', 'bids', 'asks', 'depth5_bid', 'depth5_ask']

export const MARKET_MEMBERS = [
  'condition_id',
  'slug',
  'question',
  'category',
  'subcategory',
  'timeframe',
  'active',
  'tokens',
]
export const BOOK_MEMBERS = ['token_id', 'side', ...FIGURES]
export const SNAPSHOT_MEMBERS = [
  'condition_id',
  'token_id',
  'side',
  'event_timestamp',
  'capture_timestamp',
  'sequence_number',
  ...FIGURES,
  'spot_crypto_usd',
  'spot_crypto_age_ms',
]

type Pair = readonly [price: number, size: number]

interface DeclaredBook {
  readonly side: string
  readonly best_bid: number
  readonly best_ask: number
  readonly mid: number
  readonly spread: number
  readonly bids: readonly Pair[]
  readonly asks: readonly Pair[]
  readonly depth5_bid: number
  readonly depth5_ask: number
}

/** Exactly the declared members; best price first; every figure computed from the ladders. */
export function isDeclaredBook(book: DeclaredBook, side: 'UP' | 'DOWN'): void {
  assert.deepEqual(Object.keys(book), BOOK_MEMBERS)
  const { bids, asks } = book
  assert.equal(book.side, side)
  for (const level of [...bids, ...asks]) {
    assert.equal(level.length, 2)
    assert.ok(level[0] > 0 && level[0] < 1 && level[1] > 0, `price ${level[0]}, size ${level[1]}`)
  }
  assert.deepEqual(
    bids,
    bids.toSorted(([one], [other]) => other - one),
  )
  assert.deepEqual(
    asks,
    asks.toSorted(([one], [other]) => one - other),
  )
  assert.deepEqual([book.best_bid, book.best_ask], [bids[0]?.[0] ?? 0, asks[0]?.[0] ?? 1])
  const nearly = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6
  assert.ok(nearly(book.mid, (book.best_bid + book.best_ask) / 2), 'mid')
  assert.ok(nearly(book.spread, book.best_ask - book.best_bid), 'spread')
  const depth5 = (levels: readonly Pair[]): number => levels.slice(0, 5).reduce((sum, [, size]) => sum + size, 0)
  assert.ok(nearly(book.depth5_bid, depth5(bids)) && nearly(book.depth5_ask, depth5(asks)), 'depth5')
}
