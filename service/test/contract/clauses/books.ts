import assert from 'node:assert/strict'
import { all, assertMembers, explains, hasHeaders, isLike } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'
import { ORDERBOOK, TOKEN_BOOK } from '../members.ts'

const PATHS = ['/v1/markets/{id}/orderbook', '/v1/markets/by-slug/{slug}/orderbook']
const FRESH_MS = 60_000
const NO_RECENT_DATA = [404, 'no_recent_data'] as const

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

const pathsOf = (market: string): string[] =>
  PATHS.map((path) => path.replace('{id}', `{${market}}`).replace('{slug}', `{${market}.slug}`))
const sum = (levels: readonly Level[]): number =>
  Math.round(levels.reduce((all, { size }) => all + size * 1e6, 0)) / 1e6
const near = (one: number, other: number): void => assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`)

/** Best price first, and every figure computed from the ladders. */
function assertBook({ bids, asks, ...book }: Book): void {
  assert.ok(bids.length > 0 && asks.length > 0)
  assert.deepEqual(
    bids,
    bids.toSorted((one, other) => other.price - one.price),
  )
  assert.deepEqual(
    asks,
    asks.toSorted((one, other) => one.price - other.price),
  )
  assert.deepEqual([book.bestBid, book.bestAsk], [bids[0]?.price, asks[0]?.price])
  near(book.midPrice, (book.bestBid + book.bestAsk) / 2)
  near(book.spread, book.bestAsk - book.bestBid)
  near(book.bidDepth, sum(bids))
  near(book.askDepth, sum(asks))
  assert.ok([...bids, ...asks].every(({ price, size }) => price > 0 && price < 1 && size > 0))
}

const isOrderbook: Check = ({ body }) => {
  const { crypto_price: _price, cryptoPrice: _same, ...members } = ORDERBOOK
  assertMembers(body, members)
  assert.equal(body.market_id, body.marketId)
  assert.equal(body.crypto_price, body.cryptoPrice)
  for (const [index, book] of [body.up, body.down].entries()) {
    assertMembers(book, TOKEN_BOOK)
    assert.equal(book.outcomeIndex, index)
    assert.equal(book.timestamp, book.captureTimestamp)
    assert.ok(book.eventTimestamp <= book.captureTimestamp)
    assertBook(book)
  }
  assert.equal(body.up.sequenceNumber, body.down.sequenceNumber)
}

/** The book whose newest row is never renewed, at a time after its capture. */
async function frozenAfter(scene: ContractScene, path: string, ageMs: number) {
  return scene.ask('pro', path, { atMs: Number(scene.value('frozen.captured.ms')) + ageMs })
}

export const bookClauses: readonly Clause[] = [
  clause(
    '2.4',
    'The live book, by id and by slug, has every listed member, and its figures are computed from its levels.',
    pathsOf('live').map((path) =>
      served(
        'free',
        path,
        all(isOrderbook, ({ body }) => assert.ok(body.crypto_price > 0 && body.crypto !== '')),
      ),
    ),
  ),
  clause(
    '2.4',
    'The live book of a market of another category has an empty `crypto` and the price 0.',
    pathsOf('other').map((path) =>
      served('pro', path, all(isOrderbook, isLike({ crypto: '', crypto_price: 0, cryptoPrice: 0 }))),
    ),
  ),
  clause(
    '2.4',
    '`includebook=false` leaves out `bids` and `asks` and keeps the figures; the default is true.',
    pathsOf('frozen').map((path) =>
      served('pro', `${path}?includebook=false`, async (_, scene) => {
        const byDefault = await frozenAfter(scene, path, 0)
        const explicit = await frozenAfter(scene, `${path}?includebook=true`, 0)
        const without = await frozenAfter(scene, `${path}?includebook=false`, 0)
        assert.ok(byDefault.body.up.bids.length > 0)
        assert.deepEqual(byDefault.body, explicit.body)
        const { bids: _bids, asks: _asks, ...figures } = byDefault.body.up
        assert.deepEqual(without.body.up, figures)
      }),
    ),
  ),
  clause('1', 'UP and DOWN are different tokens, and their mid prices add up to about 1.', [
    served('pro', '/v1/markets/{live}/orderbook', ({ body }) => {
      assert.ok(Math.abs(body.up.midPrice + body.down.midPrice - 1) < 0.05)
      assert.notEqual(body.up.tokenId, body.down.tokenId)
      assert.ok(body.up.midPrice > 0 && body.up.midPrice < 1)
    }),
  ]),
  clause('4.2', 'A market id is accepted in upper and lower case.', [
    served('free', '/v1/markets/{live.upper}/orderbook', ({ body }, scene) =>
      assert.equal(body.market_id, scene.value('live')),
    ),
  ]),
  clause('7', 'A closed market has no live book: 404 by id and by slug.', [
    ...['closed', 'closed_other', 'old'].flatMap((name) =>
      pathsOf(name).map((path) =>
        refused(
          'pro',
          path,
          [404, 'market_closed'],
          all(explains(/has ended/), ({ body }, scene) => assert.equal(body.details.market_id, scene.value(name))),
        ),
      ),
    ),
  ]),
  clause(
    '4.2',
    'A live market that has no book is 404 with the message "No recent data" and `Retry-After`.',
    pathsOf('silent').map((path) =>
      refused(
        'pro',
        path,
        NO_RECENT_DATA,
        all(isLike({ message: 'No recent data' }), hasHeaders({ 'retry-after': /^[1-9]\d*$/ })),
      ),
    ),
  ),
  clause(
    '4.2',
    'A book that is not renewed is served for exactly 60 seconds with `stale` and its age, then it is 404.',
    pathsOf('frozen').map((path) =>
      served('pro', path, async (_, scene) => {
        const [now, last, late] = await Promise.all(
          [0, FRESH_MS, FRESH_MS + 1].map((ageMs) => frozenAfter(scene, path, ageMs)),
        )
        assert.partialDeepStrictEqual(now?.body, { stale: false, age_ms: 0 })
        assert.partialDeepStrictEqual(last?.body, { stale: true, age_ms: FRESH_MS })
        assert.deepEqual(
          [late?.status, late?.body.error, late?.body.message],
          [404, 'no_recent_data', 'No recent data'],
        )
      }),
    ),
  ),
]
