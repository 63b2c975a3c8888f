import assert from 'node:assert/strict'
import { archive, madeMarket, madeRow, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { RecentMarkets } from '../../../src/stores/markets/recent-markets.ts'
import { all, hasHeaders, hasMembers, needsTiers } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Case, type Check, type Clause, clause, refused } from '../clause.ts'
import { HISTORY_ENTRY } from '../members.ts'

const HISTORY = '/v1/markets/history'
const RECENT = '/v1/markets/history/recent'
const LISTS = [HISTORY, RECENT]
const CACHE_MS = 30_000

interface Entry {
  readonly market_id: string
  readonly snapshot_count: string
  readonly first_seen: string
  readonly is_live: boolean
}

const idsOf = (body: { markets: Entry[] }): string[] => body.markets.map(({ market_id }) => market_id)

/** Counts of the envelope agree with the entries. */
const addsUp: Check = ({ body }) => {
  const counts = body.markets.map((entry: Entry) => Number(entry.snapshot_count))
  const liveCount = body.markets.filter((entry: Entry) => entry.is_live).length
  assert.ok(liveCount > 0 && liveCount < body.markets.length)
  assert.deepEqual(
    [body.total_markets, body.live_count, body.closed_count, body.total_snapshots],
    [
      body.markets.length,
      liveCount,
      body.markets.length - liveCount,
      counts.reduce((sum: number, count: number) => sum + count, 0),
    ],
  )
}

/** 40 stored slots of two tokens each. */
const countsTokens: Check = ({ body }, scene) => {
  const closed = body.markets.find((entry: Entry) => entry.market_id === scene.value('closed'))
  assert.equal(closed?.snapshot_count, '80')
  assert.equal(closed.is_live, false)
}

/** An API with a history list of its own, whose clock the check moves. */
async function cachedHistory(scene: ContractScene) {
  const { service } = scene
  let { nowMs } = scene
  const stores = { ...service.stores, recentMarkets: new RecentMarkets(service.stores.clickhouse) }
  const server = await service.newServer({ pipeline: { nowMs: () => nowMs, stores } })
  const key = await service.keyOf('pro', { fresh: true })
  const startMs = nowMs
  return {
    close: () => server.close(),
    async idsAfter(path: string, ms: number) {
      nowMs = startMs + ms
      const { headers, json } = await server.inject({ url: path, headers: { 'x-api-key': key } })
      return { headers, ids: idsOf(json()) }
    },
  }
}

const isCachedFor30Seconds: Check = async (_, scene) => {
  const cached = await cachedHistory(scene)
  const added = madeMarket('contract added', { slug: 'contract-added' })
  try {
    assert.ok(!(await cached.idsAfter(HISTORY, 0)).ids.includes(added.id))
    await storeFacts(scene.service, [added])
    await archive(scene.service, [madeRow(added, { atMs: scene.nowMs - 3_600_000 })])
    const late = await cached.idsAfter(HISTORY, CACHE_MS - 1)
    assert.ok(!late.ids.includes(added.id), 'the list was read again within 30 seconds')
    assert.equal(late.headers['x-cache-age'], '29')
    const renewed = await cached.idsAfter(HISTORY, CACHE_MS)
    assert.ok(renewed.ids.includes(added.id), 'the list is older than 30 seconds')
    assert.equal(renewed.headers['x-cache-age'], '0')
  } finally {
    await cached.close()
  }
}

const isNotCached: Check = async (_, scene) => {
  const cached = await cachedHistory(scene)
  const added = madeMarket('contract fresh', { slug: 'contract-fresh' })
  try {
    assert.ok(!(await cached.idsAfter(RECENT, 0)).ids.includes(added.id))
    await storeFacts(scene.service, [added])
    await archive(scene.service, [madeRow(added, { atMs: scene.nowMs - 3_600_000 })])
    assert.ok((await cached.idsAfter(RECENT, 5_000)).ids.includes(added.id))
  } finally {
    await cached.close()
  }
}

const limitCases: Case[] = LISTS.flatMap((list) =>
  [1, 2, 5_000].map((limit) => ({
    as: 'pro' as const,
    request: `${list}?status=closed&limit=${limit}`,
    check: (({ body }) => {
      assert.ok(body.total_markets > 2, 'the total counts the page only')
      assert.equal(body.markets.length, Math.min(limit, body.total_markets))
      assert.equal(body.next_cursor === null, limit === 5_000)
    }) as Check,
  })),
)

export const historyListClauses: readonly Clause[] = [
  clause(
    '2.6',
    'The history lists have totals and a list of recorded markets with every listed member and type.',
    LISTS.map((list) => ({
      as: 'pro' as const,
      request: list,
      check: all(
        hasMembers({ total_markets: 'whole', total_snapshots: 'whole', live_count: 'whole', closed_count: 'whole' }),
        hasMembers(HISTORY_ENTRY, ({ markets }) => markets),
        addsUp,
      ),
    })),
  ),
  clause(
    '2.6',
    '`snapshot_count` is text and counts token snapshots, two for each recorded slot.',
    LISTS.map((list) => ({ as: 'pro' as const, request: `${list}?status=closed`, check: countsTokens })),
  ),
  clause('8', 'The history list is cached for 30 seconds, and `X-Cache-Age` is its age.', [
    {
      // Alone: it adds a market.
      as: 'own account',
      request: HISTORY,
      check: all(hasHeaders({ 'x-cache-age': /^([12]?\d|30)$/, 'cache-control': /max-age=\d+/ }), isCachedFor30Seconds),
    },
  ]),
  clause('4.2', 'The recent history list shows a market that was recorded just now.', [
    { as: 'own account', request: RECENT, check: isNotCached },
  ]),
  clause(
    '4.2',
    'A history list returns all markets, or exactly `limit` of them with a cursor for the next page.',
    limitCases,
  ),
  clause(
    '4.2',
    'Pages of a history list contain every market once, newest first.',
    LISTS.map((list) => ({
      as: 'pro' as const,
      request: `${list}?status=closed&limit=3`,
      check: (async ({ body }, scene) => {
        const pages = [body]
        for (let cursor = body.next_cursor; cursor !== null; cursor = pages.at(-1).next_cursor) {
          pages.push((await scene.ask('pro', `${list}?status=closed&limit=3&cursor=${cursor}`)).body)
        }
        const entries: Entry[] = pages.flatMap(({ markets }) => markets)
        const times = entries.map(({ first_seen }) => first_seen)
        assert.equal(new Set(entries.map(({ market_id }) => market_id)).size, entries.length)
        assert.ok(pages.length > 2 && entries.length >= body.total_markets)
        assert.deepEqual(times, times.toSorted().toReversed())
      }) as Check,
    })),
  ),
  clause(
    '3',
    'In the history lists `is_live` says whether a market has ended, and the counts agree with it.',
    LISTS.flatMap((list): Case[] => [
      {
        as: 'pro',
        request: `${list}?status=closed`,
        check: ({ body }, scene) => {
          assert.ok(idsOf(body).includes(scene.value('closed')) && idsOf(body).includes(scene.value('old')))
          assert.ok(body.markets.every((entry: Entry) => !entry.is_live))
          assert.deepEqual([body.live_count, body.closed_count], [0, body.markets.length])
        },
      },
      {
        as: 'pro',
        request: `${list}?status=live`,
        check: ({ body }, scene) => {
          assert.ok(idsOf(body).includes(scene.value('live')))
          assert.ok(body.markets.every((entry: Entry) => entry.is_live))
          assert.deepEqual([body.live_count, body.closed_count], [body.markets.length, 0])
        },
      },
    ]),
  ),
  clause(
    'added',
    '`share` is 1 only for a market without a missing slot, and `complete=true` lists only those.',
    LISTS.flatMap((list): Case[] => [
      {
        as: 'pro',
        request: `${list}?status=closed&complete=true`,
        check: ({ body }, scene) => {
          assert.ok(idsOf(body).includes(scene.value('closed')) && !idsOf(body).includes(scene.value('holey')))
          assert.ok(body.markets.every(({ share }: { share: number }) => share === 1))
        },
      },
      {
        as: 'pro',
        request: `${list}?status=closed`,
        check: ({ body }, scene) => {
          const holey = body.markets.find(({ market_id: id }: Entry) => id === scene.value('holey'))
          assert.ok(holey !== undefined && holey.share > 0 && holey.share < 1)
        },
      },
    ]),
  ),
  clause(
    'added',
    '`since` leaves out markets whose last snapshot is older.',
    LISTS.map((list) => ({
      as: 'pro' as const,
      request: `${list}?since={row.first}`,
      check: (({ body }, scene) => {
        assert.ok(idsOf(body).includes(scene.value('closed')))
        assert.ok(!idsOf(body).includes(scene.value('old')))
      }) as Check,
    })),
  ),
  clause(
    '8',
    'For the free tier the history lists end 24 hours ago, and a header says so; an older `since` is 403.',
    LISTS.flatMap((list): Case[] => [
      {
        as: 'free',
        request: `${list}?status=closed`,
        check: ({ body, headers }, scene) => {
          assert.ok(idsOf(body).includes(scene.value('closed')) && !idsOf(body).includes(scene.value('old')))
          assert.equal(body.total_markets, body.markets.length)
          assert.equal(headers['x-history-from'], new Date(scene.nowMs - 86_400_000).toISOString())
        },
      },
      {
        as: 'free',
        request: `${list}?q={old.slug}`,
        check: ({ body }) => assert.equal(body.total_markets, 0),
      },
      {
        as: 'pro',
        request: `${list}?status=closed`,
        check: ({ body, headers }, scene) => {
          assert.ok(idsOf(body).includes(scene.value('old')))
          assert.equal(headers['x-history-from'], undefined)
        },
      },
      refused(
        'free',
        `${list}?since={a_day_and_a_minute_ago}`,
        [403, 'tier_not_allowed'],
        needsTiers('pro', 'scale', 'enterprise'),
      ),
    ]),
  ),
  clause(
    'added',
    '`q` lists only markets that have all its words; markets that have ended are found too.',
    LISTS.flatMap((list): Case[] => [
      {
        as: 'pro',
        request: `${list}?q={closed.slug}`,
        check: ({ body }, scene) => {
          assert.ok(idsOf(body).includes(scene.value('closed')))
          assert.ok(!idsOf(body).includes(scene.value('frozen')))
        },
      },
      {
        as: 'pro',
        request: `${list}?q=zzzzqqqq`,
        check: ({ body, headers }) => {
          assert.equal(body.total_markets, 0)
          assert.equal(headers['x-empty-reason'], 'no_match')
        },
      },
    ]),
  ),
]
