import assert from 'node:assert/strict'
import { all, explains, hasMembers, namesProblem } from './checks.ts'
import { type Check, type Claim, claim, refused, served } from './claim.ts'
import type { Entry } from './claims-snapshots.ts'
import { SNAPSHOT } from './members.ts'

const ONE = '/api/snapshot'
const LATEST = '/api/snapshot/latest'
const COINS = ['BTC', 'ETH', 'SOL', 'XRP']
const INVALID = [400, 'invalid_request'] as const

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

export const snapshotAtClaims: readonly Claim[] = [
  claim('4.3', 'snapshot-at.nearest', '`/api/snapshot` returns the snapshot nearest to the time, and the distance.', [
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
  claim('4.3', 'snapshot-at.includebook', '`includebook` of `/api/snapshot` adds the levels; the default is false.', [
    served('free', `${ONE}?timestamp={row.7}&marketId={closed}&includebook=true`, async ({ body }, scene) => {
      const path = `${ONE}?timestamp={row.7}&marketId={closed}`
      const byDefault = await scene.ask('free', path)
      const explicit = await scene.ask('free', `${path}&includebook=false`)
      assert.deepEqual(explicit.body, byDefault.body)
      assert.ok(!('bids' in byDefault.body) && !('asks' in byDefault.body))
      assert.deepEqual([body.bids, body.asks], [[[0.4807, 100.500007]], [[0.5107, 70]]])
    }),
  ]),
  claim('added', 'snapshot-at.side', '`side=DOWN` returns DOWN first and UP as its counterpart.', [
    served('free', `${ONE}?timestamp={row.7}&marketId={closed}&side=DOWN`, ({ body }) => {
      assert.deepEqual([body.side, body.counterpart.side], ['DOWN', 'UP'])
    }),
  ]),
  claim('added', 'snapshot-at.before', '`direction=before` returns nothing that was captured after the time.', [
    served('free', `${ONE}?timestamp={row.7.sooner}&marketId={closed}&direction=before`, ({ body }, scene) => {
      assert.equal(Date.parse(body.capture_timestamp), Number(scene.value('row.7.ms')) - 250)
    }),
  ]),
  claim('7', 'snapshot-at.none', 'A time without a snapshot within one minute is 404.', [
    refused('pro', `${ONE}?timestamp={ten_seconds_ago}&marketId={closed}`, [404, 'no_snapshot'], explains(/minute/)),
  ]),
  claim('7', 'snapshot-at.unknown', '`/api/snapshot` of an unknown or malformed id is 404.', [
    ...['{unknown}', 'nonsense'].map((id) =>
      refused('pro', `${ONE}?timestamp={row.7}&marketId=${id}`, [404, 'market_not_found'], explains(/market/i)),
    ),
  ]),
  claim('4.3', 'snapshot-at.required', '`timestamp` and `marketId` are required and checked.', [
    ...(
      [
        ['marketId={closed}', 'timestamp'],
        ['timestamp={row.7}', 'marketId'],
        ['timestamp=soon&marketId={closed}', 'timestamp'],
        ['timestamp={row.7}&marketId={closed}&includebook=1', 'includebook'],
      ] as const
    ).map(([query, parameter]) => refused('pro', `${ONE}?${query}`, INVALID, namesProblem(parameter))),
  ]),
  claim('4.3', 'latest.five', '`/api/snapshot/latest` returns the five newest snapshots of live crypto markets.', [
    served('free', LATEST, all(hasMembers(SNAPSHOT), isLatest({}))),
  ]),
  claim('4.3', 'latest.filters', 'The latest snapshots can be filtered by coin and by timeframe.', [
    ...COINS.map((coin) => served('free', `${LATEST}?crypto=${coin}`, isLatest({ crypto: coin }))),
    ...['5m', '15m', '1h', '4h', '1d'].map((timeframe) =>
      served('free', `${LATEST}?timeframe=${timeframe}`, isLatest({ timeframe })),
    ),
    served('free', `${LATEST}?crypto=BTC&timeframe=5m`, isLatest({ crypto: 'BTC', timeframe: '5m' })),
  ]),
  claim('4.3', 'latest.includebook', '`includebook` of the latest snapshots adds the levels; the default is false.', [
    served('free', `${LATEST}?includebook=true`, async ({ body }, scene) => {
      assert.ok(body.every(({ bids, asks }: Entry) => bids.length + asks.length > 0))
      for (const query of ['', '?includebook=false']) {
        const { body: without } = await scene.ask('free', `${LATEST}${query}`)
        assert.ok(without.length === 5 && without.every((each: object) => !('bids' in each) && !('asks' in each)))
      }
    }),
  ]),
  claim('7', 'latest.unknown-coin', 'A coin or timeframe that is not recorded is 400.', [
    refused('free', `${LATEST}?crypto=PEPE`, INVALID, namesProblem('crypto')),
    refused('free', `${LATEST}?timeframe=7m`, INVALID, namesProblem('timeframe')),
  ]),
]
