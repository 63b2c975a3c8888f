import assert from 'node:assert/strict'
import { all, explains, hasHeaders, hasMembers } from '../checks.ts'
import { type Case, type Check, type Clause, clause, refused } from '../clause.ts'
import { LIVE_MARKET } from '../members.ts'

const LIVE = '/v1/markets/live'
export const WINDOW_MS: Readonly<Record<string, number>> = {
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}
/** Twice a year a day in New York has 23 or 25 hours. */
export const HOUR_MS = 3_600_000

interface Entry {
  readonly conditionId: string
  readonly expiresIn: number
  readonly endDate: string
  readonly category: string
  readonly timeframe: string
  readonly outcomes: readonly string[]
  readonly expired: boolean
}

interface Stated {
  readonly status: string
}

const idsOf = (list: readonly Entry[]): string[] => list.map(({ conditionId }) => conditionId)

const isSoonestFirst: Check = ({ body }) => {
  assert.ok(body.length > 1, 'the order of fewer than two markets shows nothing')
  const sorted = body.toSorted(
    (one: Entry, other: Entry) => one.expiresIn - other.expiresIn || (one.conditionId < other.conditionId ? -1 : 1),
  )
  assert.deepEqual(idsOf(body), idsOf(sorted))
  assert.ok(new Set(body.map(({ expiresIn }: Entry) => expiresIn)).size > 1)
}

/** A list at a fixed time, so that no market ends between two requests. */
function atFixedTime(query: string, check: (list: Entry[], everything: Entry[]) => void): Case {
  return {
    as: 'pro',
    request: `${LIVE}?${query}`,
    check: async (_, scene) => {
      const atMs = Number(scene.value('made.ms'))
      const [cut, everything] = await Promise.all([
        scene.ask('pro', `${LIVE}?${query}`, { atMs }),
        scene.ask('pro', `${LIVE}?limit=5000`, { atMs }),
      ])
      assert.ok(everything.body.length > 20)
      check(cut.body, everything.body)
      assert.equal(cut.headers['x-total-count'], String(everything.body.length))
    },
  }
}

/** Reads the list page by page. */
function pagesOf(query: string): Case {
  return {
    as: 'pro',
    request: `${LIVE}?${query}&limit=5000`,
    check: async ({ body }, scene) => {
      const read: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = await scene.ask('pro', `${LIVE}?${query}&limit=2${cursor && `&cursor=${cursor}`}`)
        assert.ok(page.body.length <= 2)
        assert.equal(page.headers['x-total-count'], String(body.length))
        read.push(...idsOf(page.body))
        cursor = page.headers['x-next-cursor']
      }
      assert.ok(body.length > 2)
      assert.deepEqual(read, idsOf(body))
    },
  }
}

export const liveListClauses: readonly Clause[] = [
  clause('2.2', 'An entry of the live list has every listed member with its type.', [
    {
      as: 'pro',
      request: LIVE,
      check: all(hasMembers(LIVE_MARKET), ({ body }) => {
        assert.ok(body.every(({ conditionId }: Entry) => /^0x[0-9a-f]{64}$/.test(conditionId)))
        assert.ok(body.every(({ expired }: Entry) => !expired))
      }),
    },
  ]),
  clause('2.2', 'The live list is a bare array unless another form is requested.', [
    { as: 'pro', request: LIVE, check: ({ body }) => assert.ok(Array.isArray(body) && body.length > 0) },
  ]),
  clause('2.2', '`outcomes` are UP and DOWN for crypto up/down windows, and Yes and No for every other market.', [
    {
      as: 'pro',
      request: LIVE,
      check: ({ body }) => {
        const isWindow = ({ category, timeframe }: Entry) => category === 'crypto' && timeframe !== 'hit-price'
        assert.ok(body.some(isWindow) && !body.every(isWindow))
        for (const entry of body) assert.deepEqual(entry.outcomes, isWindow(entry) ? ['UP', 'DOWN'] : ['Yes', 'No'])
      },
    },
  ]),
  clause('2.2', '`expiresIn` is the time until `endDate` in milliseconds.', [
    {
      as: 'pro',
      request: LIVE,
      check: async (_, scene) => {
        const atMs = Number(scene.value('made.ms'))
        const { body } = await scene.ask('pro', LIVE, { atMs })
        for (const { expiresIn, endDate } of body) assert.equal(expiresIn, Date.parse(endDate) - atMs)
      },
    },
  ]),
  clause(
    '4.2',
    'With `limit` or `offset`, the live list is sorted by `expiresIn`, soonest first, and by id where it is equal.',
    ['limit=20', 'offset=1', 'limit=5000', 'limit=30&offset=2', 'category=crypto&limit=50'].map((page) => ({
      as: 'pro' as const,
      request: `${LIVE}?${page}`,
      check: all(isSoonestFirst, hasHeaders({ 'x-total-count': /^\d+$/ })),
    })),
  ),
  clause(
    '4.2',
    'With a coin, a timeframe and `limit=1`, the live list returns the current window of that series.',
    Object.keys(WINDOW_MS).map((timeframe) => ({
      as: 'free' as const,
      request: `${LIVE}?crypto=BTC&timeframe=${timeframe}&limit=1`,
      check: (({ body: [market, ...rest] }, { nowMs }) => {
        assert.deepEqual(rest, [])
        assert.partialDeepStrictEqual(market, { subcategory: 'BTC', timeframe, expired: false })
        assert.ok(Date.parse(market.startDate) <= nowMs)
        assert.ok(market.expiresIn <= (WINDOW_MS[timeframe] ?? 0) + HOUR_MS)
      }) as Check,
    })),
  ),
  clause('8', '`limit` of the live list is exact, from 1 to 5,000.', [
    ...[1, 2, 20].map((limit) =>
      atFixedTime(`limit=${limit}`, (list, everything) =>
        assert.deepEqual(idsOf(list), idsOf(everything).slice(0, limit)),
      ),
    ),
    atFixedTime('limit=5000', (list, everything) => assert.deepEqual(idsOf(list), idsOf(everything))),
  ]),
  clause('8', '`offset` skips exactly that many markets, and its default is 0.', [
    atFixedTime('offset=0', (list, everything) => assert.deepEqual(idsOf(list), idsOf(everything))),
    atFixedTime('offset=3', (list, everything) => assert.deepEqual(idsOf(list), idsOf(everything).slice(3))),
    atFixedTime('limit=4&offset=2', (list, everything) => assert.deepEqual(idsOf(list), idsOf(everything).slice(2, 6))),
    atFixedTime('limit=4', (list, everything) => assert.deepEqual(idsOf(list), idsOf(everything).slice(0, 4))),
    atFixedTime('offset=10000', (list) => assert.deepEqual(list, [])),
  ]),
  clause('added', 'An offset above 10,000 is 400, and the error names the cursor.', [
    refused('pro', `${LIVE}?limit=1&offset=10001`, [400, 'invalid_request'], explains(/got 10001; use `cursor`/)),
    refused(
      'pro',
      `${LIVE}?status=expired&limit=1&offset=190000`,
      [400, 'invalid_request'],
      explains(/`X-Next-Cursor`/),
    ),
  ]),
  clause('added', 'Pages of the live list that are read with `X-Next-Cursor` contain every market once, in order.', [
    pagesOf('category=equities'),
    pagesOf('status=expired'),
  ]),
  clause('added', 'A cursor of the live list can not be combined with an offset.', [
    {
      as: 'pro',
      request: `${LIVE}?category=equities&limit=1`,
      check: async ({ headers }, scene) => {
        const next = `${LIVE}?category=equities&limit=1&cursor=${headers['x-next-cursor']}`
        const { status, body } = await scene.ask('pro', `${next}&offset=0`)
        assert.deepEqual([status, body.details.problems[0].parameter], [400, 'offset'])
      },
    },
  ]),
  clause('4.2', '`limit` and `offset` are applied after the filters.', [
    {
      as: 'pro',
      request: `${LIVE}?category=equities&limit=2`,
      check: async (_, scene) => {
        const atMs = Number(scene.value('made.ms'))
        const pages = ['limit=5000', 'limit=2', 'offset=2'].map((page) =>
          scene.ask('pro', `${LIVE}?category=equities&${page}`, { atMs }),
        )
        const [everything, first, rest] = await Promise.all(pages)
        assert.equal(first?.body.length, 2)
        assert.ok(everything?.body.length >= 9)
        assert.deepEqual([...idsOf(first?.body), ...idsOf(rest?.body)], idsOf(everything?.body))
        assert.equal(first?.headers['x-total-count'], String(everything?.body.length))
      },
    },
  ]),
  clause('added', '`status` selects markets by their state; without it the list has live and upcoming markets only.', [
    {
      as: 'pro',
      request: `${LIVE}?status=live`,
      check: ({ body }) => assert.ok(body.length > 20 && body.every(({ status }: Stated) => status === 'live')),
    },
    {
      as: 'pro',
      request: `${LIVE}?status=expired`,
      check: ({ body }, scene) => {
        assert.ok(body.every(({ status, expired }: Stated & Entry) => status === 'expired' && expired))
        assert.ok(idsOf(body).includes(scene.value('closed')))
      },
    },
    {
      as: 'pro',
      request: LIVE,
      check: ({ body }, scene) => {
        assert.ok(body.every(({ status }: Stated) => status === 'live' || status === 'upcoming'))
        assert.ok(!idsOf(body).includes(scene.value('closed')))
      },
    },
  ]),
]
