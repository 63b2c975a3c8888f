import assert from 'node:assert/strict'
import { all, explains, hasMembers } from '../checks.ts'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'
import { SNAPSHOT } from '../members.ts'
import type { Entry } from './snapshots.ts'

const ONE = '/api/snapshot'
const LATEST = '/api/snapshot/latest'
const COINS = ['BTC', 'ETH', 'SOL', 'XRP']

/** Five snapshots, newest slot first, each of a market that matches. */
function isLatest(matches: Readonly<Record<string, string>>): Check {
  return async ({ body }, scene) => {
    assert.equal(body.length, 5)
    const times = body.map(({ capture_timestamp }: Entry) => Math.floor(Date.parse(capture_timestamp) / 1_000))
    assert.ok(times.every((time: number, index: number) => index === 0 || time <= times[index - 1] + 1))
    assert.ok(times[0] * 1_000 > Number(scene.value('made.ms')) - 60_000)
    for (const id of new Set(body.map((each: { condition_id: string }) => each.condition_id))) {
      const { body: market } = await scene.ask('pro', `/v1/markets/by-slug/${String(id)}`)
      assert.partialDeepStrictEqual(market, { ...matches, category: 'crypto', active: true })
    }
  }
}

export const snapshotAtClauses: readonly Clause[] = [
  clause('4.3', '`/api/snapshot` returns the snapshot nearest to the time, and the distance.', [
    ...(
      [
        ['row.7', 0],
        ['row.7.ms', 0],
        ['row.7.later', 100],
        ['row.7.sooner', 100],
      ] as const
    ).map(([moment, distance]) =>
      served(
        'free',
        `${ONE}?timestamp={${moment}}&marketId={closed}`,
        all(
          hasMembers({ ...SNAPSHOT, distance_ms: 'whole' }),
          hasMembers(SNAPSHOT, ({ counterpart }) => counterpart),
          ({ body }, scene) => {
            assert.equal(body.condition_id, scene.value('closed'))
            assert.equal(body.capture_timestamp, scene.value('row.7'))
            assert.deepEqual([body.distance_ms, body.side, body.counterpart.side], [distance, 'UP', 'DOWN'])
          },
        ),
      ),
    ),
  ]),
  clause('4.3', '`includebook` of `/api/snapshot` adds the levels; the default is false.', [
    served('free', `${ONE}?timestamp={row.7}&marketId={closed}&includebook=true`, async ({ body }, scene) => {
      const path = `${ONE}?timestamp={row.7}&marketId={closed}`
      const byDefault = await scene.ask('free', path)
      const explicit = await scene.ask('free', `${path}&includebook=false`)
      assert.deepEqual(explicit.body, byDefault.body)
      assert.ok(!('bids' in byDefault.body) && !('asks' in byDefault.body))
      assert.deepEqual([body.bids, body.asks], [[[0.4807, 100.500007]], [[0.5107, 70]]])
    }),
  ]),
  clause('added', '`side=DOWN` returns DOWN first and UP as its counterpart.', [
    served('free', `${ONE}?timestamp={row.7}&marketId={closed}&side=DOWN`, ({ body }) => {
      assert.deepEqual([body.side, body.counterpart.side], ['DOWN', 'UP'])
    }),
  ]),
  clause('added', '`direction=before` returns nothing that was captured after the time.', [
    served('free', `${ONE}?timestamp={row.7.sooner}&marketId={closed}&direction=before`, ({ body }, scene) => {
      assert.equal(Date.parse(body.capture_timestamp), Number(scene.value('row.7.ms')) - 250)
    }),
  ]),
  clause('7', 'A time without a snapshot within one minute is 404.', [
    refused('pro', `${ONE}?timestamp={ten_seconds_ago}&marketId={closed}`, [404, 'no_snapshot'], explains(/minute/)),
  ]),
  clause('7', '`/api/snapshot` of an unknown or malformed id is 404.', [
    ...['{unknown}', 'nonsense'].map((id) =>
      refused('pro', `${ONE}?timestamp={row.7}&marketId=${id}`, [404, 'market_not_found'], explains(/market/i)),
    ),
  ]),
  clause('4.3', '`/api/snapshot/latest` returns the five newest snapshots of live crypto markets.', [
    served('free', LATEST, all(hasMembers(SNAPSHOT), isLatest({}))),
  ]),
  clause('4.3', 'The latest snapshots can be filtered by coin and by timeframe.', [
    ...COINS.map((coin) => served('free', `${LATEST}?crypto=${coin}`, isLatest({ crypto: coin }))),
    ...['5m', '15m', '1h', '4h', '1d'].map((timeframe) =>
      served('free', `${LATEST}?timeframe=${timeframe}`, isLatest({ timeframe })),
    ),
    served('free', `${LATEST}?crypto=BTC&timeframe=5m`, isLatest({ crypto: 'BTC', timeframe: '5m' })),
  ]),
  clause('4.3', '`includebook` of the latest snapshots adds the levels; the default is false.', [
    served('free', `${LATEST}?includebook=true`, async ({ body }, scene) => {
      assert.ok(body.every(({ bids, asks }: Entry) => bids.length + asks.length > 0))
      for (const query of ['', '?includebook=false']) {
        const { body: without } = await scene.ask('free', `${LATEST}${query}`)
        assert.ok(without.length === 5 && without.every((each: object) => !('bids' in each) && !('asks' in each)))
      }
    }),
  ]),
]
