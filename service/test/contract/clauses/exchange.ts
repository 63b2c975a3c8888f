import assert from 'node:assert/strict'
import { all, hasHeaders, hasMembers, isEmptyBecause, isLike, needsTiers } from '../checks.ts'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'
import { EXCHANGE_BOOK } from '../members.ts'

const PERPS = '/v1/exchange/snapshots'
const PERP = '/v1/exchange/orderbook'
const BOOK = `${PERP}?symbol=BTC&exchange=hyperliquid_perp`
const PAST = `${PERPS}?symbol=BTC&from={perp.first}&to={perp.end}`
const SYMBOLS = ['BTC', 'ETH', 'SOL', 'HYPE']
const FRESH_MS = 60_000

type Pair = readonly [number, number]
interface Perp {
  readonly timestamp: string
  readonly symbol: string
}

const timesOf = (list: readonly Perp[]): number[] => list.map(({ timestamp }) => Date.parse(timestamp))
const near = (one: number, other: number): void => assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`)

const isPerpBook: Check = ({ body }) => {
  assert.deepEqual([body.bids.length, body.asks.length], [20, 20])
  assert.deepEqual([body.best_bid, body.best_ask], [body.bids[0][0], body.asks[0][0]])
  assert.ok(body.best_bid < body.best_ask)
  assert.ok(body.bids.every(([price]: Pair, index: number) => index === 0 || price < body.bids[index - 1][0]))
  assert.ok(body.asks.every(([price]: Pair, index: number) => index === 0 || price > body.asks[index - 1][0]))
  near(body.mid_price, (body.best_bid + body.best_ask) / 2)
  near(body.spread, body.best_ask - body.best_bid)
  for (const [total, levels] of [
    [body.bid_depth_total, body.bids],
    [body.ask_depth_total, body.asks],
  ]) {
    near(
      total,
      levels.reduce((sum: number, [, size]: Pair) => sum + size, 0),
    )
  }
}

const isFreshForAMinute: Check = async ({ body }, scene) => {
  const sinceMs = Math.min(Date.parse(body.event_timestamp), Date.parse(body.timestamp))
  const [atBound, late] = await Promise.all(
    [FRESH_MS, FRESH_MS + 1].map((ageMs) => scene.ask('scale', BOOK, { atMs: sinceMs + ageMs })),
  )
  assert.deepEqual([atBound?.status, late?.status, late?.body.message], [200, 404, 'No recent data'])
}

export const exchangeClauses: readonly Clause[] = [
  clause(
    '2.7',
    'The live exchange book has every listed member, 20 levels a side as [price, size] pairs, and figures that follow from them.',
    [
      served(
        'scale',
        BOOK,
        all(hasMembers(EXCHANGE_BOOK), isLike({ exchange: 'hyperliquid_perp', symbol: 'BTC' }), isPerpBook),
      ),
    ],
  ),
  clause('4.4', 'Every recorded coin has a live book.', [
    ...SYMBOLS.map((symbol) =>
      served(
        'scale',
        `${PERP}?symbol=${symbol}&exchange=hyperliquid_perp`,
        all(isPerpBook, ({ body }) => assert.equal(body.symbol, symbol)),
      ),
    ),
  ]),
  clause('4.4', 'The exchange may be written `hyperliquid_perp` or `hyperliquid`.', [
    ...['hyperliquid_perp', 'hyperliquid'].map((exchange) =>
      served('scale', `${PERP}?symbol=BTC&exchange=${exchange}`, isLike({ exchange: 'hyperliquid_perp' })),
    ),
  ]),
  clause('8', 'A live exchange book is never older than 60 seconds, to the millisecond.', [
    served('scale', BOOK, isFreshForAMinute),
  ]),
  clause(
    '4.4',
    'Without data in the last 60 seconds the live exchange book is 404 with the message "No recent data".',
    [
      refused(
        'scale',
        BOOK,
        [404, 'no_recent_data'],
        all(isLike({ message: 'No recent data' }), hasHeaders({ 'retry-after': /^[1-9]\d*$/ })),
        { aheadMs: 65_000 },
      ),
    ],
  ),
  clause('4.4', 'The live exchange book is for scale and enterprise; free and pro get 403.', [
    ...(['free', 'pro'] as const).flatMap((tier) => [
      refused(tier, BOOK, [403, 'tier_not_allowed'], needsTiers('scale', 'enterprise')),
      refused(tier, BOOK, [403, 'tier_not_allowed'], needsTiers('scale', 'enterprise'), { aheadMs: 65_000 }),
    ]),
    ...(['scale', 'enterprise'] as const).map((tier) => served(tier, BOOK, isPerpBook)),
  ]),
  clause('4.4', 'Stored exchange books of every coin are served to every tier.', [
    ...SYMBOLS.map((symbol) =>
      served(
        'free',
        `${PERPS}?symbol=${symbol}`,
        all(hasMembers(EXCHANGE_BOOK), ({ body }) => {
          assert.ok(body.every((each: Perp) => each.symbol === symbol))
          assert.deepEqual([body[0].bids.length, body[0].asks.length], [20, 20])
        }),
      ),
    ),
  ]),
  clause('4.4', 'For stored exchange books `from` is inclusive and `to` exclusive on the capture time.', [
    served('pro', `${PERPS}?symbol=BTC&from={perp.3}&to={perp.7}`, ({ body }, scene) => {
      const first = Number(scene.value('perp.first.ms'))
      assert.deepEqual(
        timesOf(body),
        [3, 4, 5, 6].map((index) => first + index * 500),
      )
      assert.deepEqual(
        body.map(({ best_bid }: { best_bid: number }) => best_bid),
        [80_003, 80_004, 80_005, 80_006],
      )
    }),
  ]),
  clause('8', '`limit` of the stored exchange books is exact, from 1 to 500; 100 by default.', [
    ...[1, 2, 499, 500].map((limit) =>
      served(
        'pro',
        `${PAST}&limit=${limit}`,
        all(hasHeaders({ 'x-next-cursor': /./ }), ({ body }) => assert.equal(body.length, limit)),
      ),
    ),
    served('pro', PAST, async ({ body }, scene) => {
      assert.equal(body.length, 100)
      assert.deepEqual(body, (await scene.ask('pro', `${PAST}&limit=100`)).body)
    }),
  ]),
  clause('4.4', 'Stored exchange books rise from `from`, and without it the newest come first; `order` chooses.', [
    served('pro', `${PAST}&limit=5`, async ({ body }, scene) => {
      assert.deepEqual(
        timesOf(body),
        timesOf(body).toSorted((one, other) => one - other),
      )
      assert.deepEqual(body, (await scene.ask('pro', `${PAST}&limit=5&order=asc`)).body)
    }),
    served('pro', `${PAST}&limit=500&order=desc`, ({ body }, scene) => {
      assert.equal(Date.parse(body[0].timestamp) + 1, Date.parse(scene.value('perp.end')))
      assert.ok(timesOf(body).every((time, index, times) => index === 0 || time < (times[index - 1] ?? 0)))
    }),
    served('pro', `${PERPS}?symbol=BTC&limit=3`, ({ body }, scene) => {
      assert.ok((timesOf(body)[2] ?? 0) < (timesOf(body)[0] ?? 0))
      assert.equal(timesOf(body)[0], Number(scene.value('made.ms')) - 60_500)
    }),
  ]),
  clause('4.4', 'Stored exchange books of the last 60 seconds are left out for free and pro, which a header tells.', [
    ...(['free', 'pro'] as const).flatMap((tier) => [
      served(tier, `${PERPS}?symbol=BTC&limit=1`, ({ body, headers }, scene) => {
        assert.equal(Date.parse(headers['x-restricted-from'] ?? ''), scene.nowMs - 60_000)
        assert.ok((timesOf(body)[0] ?? 0) < scene.nowMs - 60_000)
      }),
      served(tier, `${PERPS}?symbol=BTC&from={two_seconds_ago}`, isEmptyBecause('tier')),
      served(tier, PAST, ({ headers }) => assert.equal(headers['x-restricted-from'], undefined)),
    ]),
    ...(['scale', 'enterprise'] as const).map((tier) =>
      served(tier, `${PERPS}?symbol=BTC&limit=1`, ({ body, headers }, scene) => {
        assert.equal(headers['x-restricted-from'], undefined)
        assert.ok((timesOf(body)[0] ?? 0) > scene.nowMs - 1_000)
      }),
    ),
  ]),
  clause('4.4', '`exchange` may be left out for stored exchange books.', [
    served('pro', `${PAST}&limit=2&exchange=hyperliquid_perp`, async ({ body }, scene) => {
      assert.deepEqual(body, (await scene.ask('pro', `${PAST}&limit=2`)).body)
    }),
  ]),
]
