import assert from 'node:assert/strict'
import { all, assertMembers, hasMembers, isLike } from './checks.ts'
import { CATEGORY, EXCHANGE_BOOK, LADDERS, ORDERBOOK, SINGLE_MARKET, SNAPSHOT, TOKEN_BOOK } from './members.ts'
import type { Row } from './row.ts'

interface Level {
  readonly price: number
  readonly size: number
}
interface Book {
  readonly bestBid: number
  readonly bestAsk: number
  readonly bidDepth: number
  readonly askDepth: number
  readonly midPrice: number
  readonly spread: number
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}

const sum = (sizes: readonly number[]): number => Math.round(sizes.reduce((all, size) => all + size * 1e6, 0)) / 1e6
const nearly = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6

/** Best price first, and every value computed from the ladders. */
function assertBook({ bids, asks, ...book }: Book): void {
  assert.deepEqual(
    bids,
    bids.toSorted((one, other) => other.price - one.price),
  )
  assert.deepEqual(
    asks,
    asks.toSorted((one, other) => one.price - other.price),
  )
  assert.equal(book.bestBid, bids[0]?.price ?? 0)
  assert.equal(book.bestAsk, asks[0]?.price ?? 1)
  assert.ok(
    nearly(book.midPrice, (book.bestBid + book.bestAsk) / 2) && nearly(book.spread, book.bestAsk - book.bestBid),
  )
  assert.ok(nearly(book.bidDepth, sum(bids.map(({ size }) => size))))
  assert.ok(nearly(book.askDepth, sum(asks.map(({ size }) => size))))
  assert.ok([...bids, ...asks].every(({ price, size }) => price > 0 && price < 1 && size > 0))
}

const isOrderbook: NonNullable<Row['check']> = ({ body }) => {
  assertMembers(body, ORDERBOOK)
  assert.equal(body.market_id, body.marketId)
  assert.equal(body.crypto_price, body.cryptoPrice)
  for (const [index, book] of [body.up, body.down].entries()) {
    assertMembers(book, TOKEN_BOOK)
    assert.equal(book.outcomeIndex, index)
    assert.equal(book.timestamp, book.captureTimestamp)
    assertBook(book)
  }
  assert.equal(body.up.sequenceNumber, body.down.sequenceNumber)
}

export const shapeRows: readonly Row[] = [
  {
    section: '2.1',
    endpoint: '/v1/categories',
    request: '/v1/categories',
    as: 'free',
    shows: 'One entry for each category plan, with every member.',
    status: 200,
    check: all(hasMembers(CATEGORY), ({ body }) => {
      const names = body.map(({ category }: { category: string }) => category).toSorted()
      assert.deepEqual(names, ['crypto', 'economics', 'equities', 'social', 'sports', 'weather'])
    }),
  },
  ...(['{live.slug}', '{live}'] as const).map(
    (slug): Row => ({
      section: '2.3',
      endpoint: '/v1/markets/by-slug/{slug}',
      request: `/v1/markets/by-slug/${slug}`,
      as: 'free',
      shows: 'A live market of a coin has every member, and coin and price.',
      status: 200,
      check: all(hasMembers({ ...SINGLE_MARKET, crypto: 'text', crypto_price: 'number' }), ({ body }, scene) => {
        assert.equal(body.market_id, scene.fill('{live}'))
        assert.deepEqual(body.outcomes, ['Yes', 'No'])
        assert.deepEqual(body.token_ids, [body.token_id_up, body.token_id_down])
        assert.ok(body.crypto_price > 0)
      }),
    }),
  ),
  {
    section: '2.3',
    endpoint: '/v1/markets/by-slug/{slug}',
    request: '/v1/markets/by-slug/{other.slug}',
    as: 'pro',
    shows: 'Another live market has an empty coin and price 0.',
    status: 200,
    check: all(hasMembers(SINGLE_MARKET), isLike({ crypto: '', crypto_price: 0, outcomes: ['Yes', 'No'] })),
  },
  {
    section: '2.3',
    endpoint: '/v1/markets/by-slug/{slug}',
    request: '/v1/markets/by-slug/{closed.slug}',
    as: 'free',
    shows: 'A closed market is read from the store, with its event and group.',
    status: 200,
    check: all(
      hasMembers({
        ...SINGLE_MARKET,
        crypto: 'text',
        crypto_price: 'number',
        event_title: 'text',
        neg_risk_id: 'text',
      }),
      isLike({ active: false, expired: true, expires_in: 0, outcomes: ['Up', 'Down'] }),
    ),
  },
  {
    section: '2.3',
    endpoint: '/v1/markets/by-slug/{slug}',
    request: '/v1/markets/by-slug/{closed_other.slug}',
    as: 'pro',
    shows: 'A closed market of another category has neither coin nor price.',
    status: 200,
    check: all(hasMembers(SINGLE_MARKET), ({ body }) => {
      assert.ok(!('crypto' in body) && !('crypto_price' in body))
    }),
  },
  ...(['{forgotten}', '{forgotten.slug}'] as const).map(
    (slug): Row => ({
      section: '2.3',
      endpoint: '/v1/markets/by-slug/{slug}',
      request: `/v1/markets/by-slug/${slug}`,
      as: 'pro',
      shows: 'A market that exists only in ClickHouse is described from its rows.',
      status: 200,
      check: all(
        hasMembers({ ...SINGLE_MARKET, first_seen: 'time', last_seen: 'time' }),
        isLike({ active: false, expired: true }),
      ),
    }),
  ),
  ...(['/v1/markets/{id}/orderbook', '/v1/markets/by-slug/{slug}/orderbook'] as const).flatMap((endpoint): Row[] => [
    {
      section: '2.4',
      endpoint,
      request: endpoint.replace('{id}', '{live}').replace('{slug}', '{live.slug}'),
      as: 'free',
      shows: 'Both ways to the live book give the whole object, with its doubled names and both token books.',
      status: 200,
      check: isOrderbook,
    },
    {
      section: '2.4',
      endpoint,
      request: endpoint.replace('{id}', '{other}').replace('{slug}', '{other.slug}'),
      as: 'pro',
      shows: 'The book of a market without a coin has an empty one and price 0.',
      status: 200,
      check: all(isOrderbook, isLike({ crypto: '', crypto_price: 0, cryptoPrice: 0 })),
    },
    {
      section: '2.4',
      endpoint,
      request: `${endpoint.replace('{id}', '{live}').replace('{slug}', '{live.slug}')}?includebook=false`,
      as: 'free',
      shows: 'Without ladders, all figures stay.',
      status: 200,
      check: ({ body }) => {
        for (const book of [body.up, body.down]) {
          const { bids: _bids, asks: _asks, ...figures } = TOKEN_BOOK
          assertMembers(book, figures)
          assert.ok(!('bids' in book) && !('asks' in book))
        }
      },
    },
  ]),
  {
    section: '2.5',
    endpoint: '/v1/markets/{id}/snapshots',
    request: '/v1/markets/{live}/snapshots?limit=20',
    as: 'pro',
    shows: 'A stored snapshot has every member, and ladders of pairs with the best price first.',
    status: 200,
    check: all(
      hasMembers({ ...SNAPSHOT, ...LADDERS }, ({ snapshots }) => snapshots),
      ({ body }) => {
        for (const { bids, asks, best_bid, best_ask, mid, depth5_bid, depth5_ask } of body.snapshots) {
          assert.equal(best_bid, bids[0]?.[0] ?? 0)
          assert.equal(best_ask, asks[0]?.[0] ?? 1)
          assert.ok(nearly(mid, (best_bid + best_ask) / 2))
          assert.ok(nearly(depth5_bid, sum(bids.slice(0, 5).map(([, size]: [number, number]) => size))))
          assert.ok(nearly(depth5_ask, sum(asks.slice(0, 5).map(([, size]: [number, number]) => size))))
        }
      },
    ),
  },
  {
    section: '2.5',
    endpoint: '/v1/markets/{id}/snapshots',
    request: '/v1/markets/{closed}/snapshots?from={row.first}&limit=4&includebook=false',
    as: 'pro',
    shows: 'A price that is not known is null; without ladders, all figures stay.',
    status: 200,
    check: all(
      hasMembers(SNAPSHOT, ({ snapshots }) => snapshots),
      ({ body }) => {
        const [first, , third] = body.snapshots
        assert.deepEqual([first.spot_crypto_usd, first.spot_crypto_age_ms], [null, null])
        assert.equal(third.spot_crypto_usd, 601.25)
        assert.ok(!('bids' in first))
      },
    ),
  },
  {
    section: '2.7',
    endpoint: '/v1/exchange/orderbook',
    request: '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp',
    as: 'scale',
    shows: 'A perp’s book has every member, up to 20 levels a side as pairs.',
    status: 200,
    check: all(hasMembers(EXCHANGE_BOOK), isLike({ exchange: 'hyperliquid_perp', symbol: 'BTC' }), ({ body }) => {
      assert.ok(body.bids.length <= 20 && body.asks.length <= 20 && body.bids.length > 0)
      assert.deepEqual([body.best_bid, body.best_ask], [body.bids[0][0], body.asks[0][0]])
      assert.ok(nearly(body.bid_depth_total, sum(body.bids.map(([, size]: [number, number]) => size))))
    }),
  },
]
