import assert from 'node:assert/strict'
import { all, hasMembers, isEmptyBecause, namesProblem } from './checks.ts'
import { SNAPSHOT } from './members.ts'
import { type Row, rowsOf } from './row.ts'

const LIST = '/v1/markets/{id}/snapshots'
const ONE = '/api/snapshot'
const LATEST = '/api/snapshot/latest'

type Check = NonNullable<Row['check']>
interface Entry {
  readonly sequence_number: number
  readonly side: string
  readonly capture_timestamp: string
}

const numbersOf = (snapshots: readonly Entry[]): number[] => snapshots.map(({ sequence_number }) => sequence_number)

/** The rows from the fourth to the seventh: the lower bound is in it, the upper is not. */
const isFromThirdToSeventh: Check = ({ body }, scene) => {
  const times = body.snapshots.map(({ capture_timestamp }: Entry) => encodeURIComponent(capture_timestamp))
  assert.equal(times.length, 4)
  assert.equal(times[0], scene.fill('{row.3}'))
  assert.ok(times.every((time: string) => decodeURIComponent(time) < decodeURIComponent(scene.fill('{row.7}'))))
}

const ranges = rowsOf('4.3', [
  ...['from={row.3}&to={row.7}', 'from={row.3.ms}&to={row.7.ms}', 'from={row.3}&to={row.7.offset}'].map((range) => ({
    endpoint: LIST,
    request: `/v1/markets/{closed}/snapshots?${range}&side=UP`,
    as: 'free' as const,
    shows: 'The lower bound is included, the upper is not; times are text with an offset or epoch milliseconds.',
    status: 200,
    check: isFromThirdToSeventh,
  })),
  {
    endpoint: LIST,
    request: '/v1/markets/{closed}/snapshots?from={row.first}',
    as: 'pro',
    shows: 'A hundred at most unless asked otherwise, rising from the lower bound, both tokens of a slot side by side.',
    status: 200,
    check: ({ body }) => {
      const sides = body.snapshots.map(({ side }: Entry) => side)
      const numbers = numbersOf(body.snapshots)
      assert.equal(sides.length, 80)
      assert.deepEqual(sides.slice(0, 4), ['UP', 'DOWN', 'UP', 'DOWN'])
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => one - other),
      )
    },
  },
  {
    endpoint: LIST,
    request: '/v1/markets/{live}/snapshots',
    as: 'pro',
    shows: 'Without a lower bound the newest come first.',
    status: 200,
    check: ({ body }) => {
      const numbers = numbersOf(body.snapshots)
      assert.ok(numbers.length > 0 && numbers.length <= 100)
      assert.deepEqual(
        numbers,
        numbers.toSorted((one, other) => other - one),
      )
    },
  },
  ...(['asc', 'desc'] as const).map((order) => ({
    endpoint: LIST,
    request: `/v1/markets/{closed}/snapshots?order=${order}&side=DOWN`,
    as: 'pro' as const,
    shows: 'The order can be asked for, and one side alone.',
    status: 200,
    check: (({ body }) => {
      const numbers = numbersOf(body.snapshots)
      const rising = numbers.toSorted((one, other) => one - other)
      assert.deepEqual(numbers, order === 'asc' ? rising : rising.toReversed())
      assert.ok(numbers.length === 40 && body.snapshots.every(({ side }: Entry) => side === 'DOWN'))
    }) as Check,
  })),
  {
    endpoint: LIST,
    request: '/v1/markets/{closed}/snapshots?from={row.first}&limit=33',
    as: 'pro',
    shows: 'Pages go on by a cursor, no row twice and none left out.',
    status: 200,
    check: async ({ body }, scene) => {
      const pages = [body]
      for (let cursor = body.next_cursor; cursor !== null; cursor = pages.at(-1).next_cursor) {
        const next = await scene.ask('pro', `/v1/markets/{closed}/snapshots?from={row.first}&limit=33&cursor=${cursor}`)
        pages.push(next.body)
      }
      const keys = pages.flatMap(({ snapshots }) =>
        snapshots.map(({ sequence_number, side }: Entry) => `${sequence_number} ${side}`),
      )
      assert.deepEqual([pages.length, keys.length, new Set(keys).size], [3, 80, 80])
    },
  },
  {
    endpoint: LIST,
    request: '/v1/markets/{closed}/snapshots?from={ten_seconds_ago}',
    as: 'pro',
    shows: 'A known market with nothing in the range is an empty answer with its reason.',
    status: 200,
    check: isEmptyBecause('outside_capture'),
  },
  ...['from=yesterday', 'from=2026-11-15', 'to=1', 'side=up', 'includebook=yes', 'order=up', 'cursor=x'].map(
    (parameter) => ({
      endpoint: LIST,
      request: `/v1/markets/{closed}/snapshots?${parameter}`,
      as: 'pro' as const,
      shows: 'A value that is no time, side, flag, order or cursor is refused by name.',
      status: 400,
      error: 'invalid_request' as const,
      check: namesProblem(parameter.split('=')[0] ?? ''),
    }),
  ),
  ...['{unknown}', 'nonsense'].map((id) => ({
    endpoint: LIST,
    request: `/v1/markets/${id}/snapshots`,
    as: 'pro' as const,
    shows: 'An unknown id is 404, and so is one that is malformed.',
    status: 404,
    error: 'market_not_found' as const,
  })),
])

const nearest = rowsOf('4.3', [
  ...(
    [
      ['row.7', 0],
      ['row.7.ms', 0],
      ['row.7.later', 100],
      ['row.7.sooner', 100],
    ] as const
  ).map(([moment, distance]) => ({
    endpoint: ONE,
    request: `/api/snapshot?timestamp={${moment}}&marketId={closed}`,
    as: 'free' as const,
    shows: 'The snapshot closest to a moment, UP with the other token beside it, and how far off it is.',
    status: 200,
    check: all(
      hasMembers({ ...SNAPSHOT, distance_ms: 'whole' }),
      hasMembers(SNAPSHOT, ({ counterpart }) => counterpart),
      (({ body }, scene) => {
        assert.equal(encodeURIComponent(body.capture_timestamp), scene.fill('{row.7}'))
        assert.deepEqual([body.distance_ms, body.side, body.counterpart.side], [distance, 'UP', 'DOWN'])
        assert.ok(!('bids' in body), 'ladders are left out unless asked for')
      }) as Check,
    ),
  })),
  {
    endpoint: ONE,
    request: '/api/snapshot?timestamp={row.7.sooner}&marketId={closed}&direction=before',
    as: 'free',
    shows: 'On request nothing that was captured after the moment.',
    status: 200,
    check: ({ body }, scene) => assert.ok(body.capture_timestamp < decodeURIComponent(scene.fill('{row.7}'))),
  },
  {
    endpoint: ONE,
    request: '/api/snapshot?timestamp={row.7}&marketId={closed}&includebook=true&side=DOWN',
    as: 'free',
    shows: 'Ladders come on request, and the other token first when asked for.',
    status: 200,
    check: all(hasMembers({ ...SNAPSHOT, bids: 'pairs', asks: 'pairs' }), ({ body }) =>
      assert.equal(body.side, 'DOWN'),
    ),
  },
  {
    endpoint: ONE,
    request: '/api/snapshot?timestamp={ten_seconds_ago}&marketId={closed}',
    as: 'pro',
    shows: 'Where nothing is within a minute of the moment, there is no snapshot.',
    status: 404,
    error: 'no_snapshot',
  },
  ...['{unknown}', 'nonsense'].map((id) => ({
    endpoint: ONE,
    request: `/api/snapshot?timestamp={row.7}&marketId=${id}`,
    as: 'pro' as const,
    shows: 'An unknown id is 404, and so is one that is malformed.',
    status: 404,
    error: 'market_not_found' as const,
  })),
  ...(
    [
      ['marketId={closed}', 'timestamp'],
      ['timestamp={row.7}', 'marketId'],
      ['timestamp=soon&marketId={closed}', 'timestamp'],
      ['timestamp={row.7}&marketId={closed}&includebook=1', 'includebook'],
    ] as const
  ).map(([query, parameter]) => ({
    endpoint: ONE,
    request: `/api/snapshot?${query}`,
    as: 'pro' as const,
    shows: 'Time and market must be given and valid.',
    status: 400,
    error: 'invalid_request' as const,
    check: namesProblem(parameter),
  })),
])

const latest = rowsOf('4.3', [
  ...[
    '',
    'includebook=true',
    ...['BTC', 'ETH', 'SOL', 'XRP'].map((coin) => `crypto=${coin}`),
    'crypto=BTC&timeframe=5m',
  ].map((query) => ({
    endpoint: LATEST,
    request: `${LATEST}?${query}`,
    as: 'free' as const,
    shows: 'The last five snapshots, newest first, of the coin and length asked for.',
    status: 200,
    check: all(hasMembers(SNAPSHOT), (({ body }) => {
      assert.equal(body.length, 5)
      const times = body.map(({ capture_timestamp }: Entry) => Math.floor(Date.parse(capture_timestamp) / 1_000))
      assert.ok(times.every((time: number, index: number) => index === 0 || time <= times[index - 1] + 1))
      assert.equal('bids' in body[0], query.includes('includebook'))
    }) as Check),
  })),
  ...['5m', '15m', '1h', '4h', '1d'].map((timeframe) => ({
    endpoint: LATEST,
    request: `${LATEST}?timeframe=${timeframe}`,
    as: 'free' as const,
    shows: 'Every length of window is taken.',
    status: 200,
    check: hasMembers(SNAPSHOT),
  })),
  {
    endpoint: LATEST,
    request: `${LATEST}?crypto=PEPE`,
    as: 'free',
    shows: 'A coin that is not recorded is refused.',
    status: 400,
    error: 'invalid_request',
    check: namesProblem('crypto'),
  },
])

const figures: Row[] = [
  {
    section: '4.3',
    endpoint: '/api/debug',
    request: '/api/debug',
    as: 'free',
    shows: 'Counters of the recorder: rates, depths and errors.',
    status: 200,
    check: hasMembers({ rates: 'object', depths: 'object', errors: 'object', plans: 'object' }),
  },
  {
    section: '4.3',
    endpoint: '/v1/stats',
    request: '/v1/stats',
    as: 'free',
    shows: 'Totals of snapshots, by category, and counters of the pipeline.',
    status: 200,
    check: all(hasMembers({ total_snapshots: 'whole', categories: 'list', pipeline: 'object' }), ({ body }) => {
      assert.equal(body.categories.length, 6)
    }),
  },
]

export const snapshotRows: readonly Row[] = [...ranges, ...nearest, ...latest, ...figures]
