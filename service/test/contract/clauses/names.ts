import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { withParameter } from '../asked-endpoints.ts'
import { all, assertMembers, isLike } from '../checks.ts'
import type { Caller, ContractScene } from '../clause.ts'
import { type Check, type Clause, clause } from '../clause.ts'
import { HOLEY_SLOTS, HOLEY_TRADES } from '../scene/holey-market.ts'

const DAY_MS = 86_400_000
const FROM_OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }

/** Follows `next_cursor` to the last page; the pages together are the list that one request returns. */
const walk =
  (as: Caller, list: string, member: string, limit: number): Check =>
  async ({ body: whole }, scene) => {
    const walked: unknown[] = []
    let cursor: string | null = null
    for (let pages = 1; ; pages++) {
      const { body }: { body: Record<string, unknown> } = await scene.ask(
        as,
        withParameter(list, `limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`),
      )
      const items = body[member] as unknown[]
      walked.push(...items)
      cursor = body.next_cursor as string | null
      assert.ok(items.length === limit || cursor === null, 'a page that is not the last one is not full')
      if (cursor === null) {
        assert.ok(pages > 1, 'there is one page only')
        break
      }
      assert.ok(pages < 100)
    }
    assert.equal(whole.next_cursor, null)
    assert.deepEqual(walked, whole[member])
  }

/** The counted slots of an answer, under the same names in every one. */
const hasCoverage =
  (expected: Record<string, unknown>, of = 'coverage'): Check =>
  ({ body }) => {
    const coverage = body[of]
    assertMembers(coverage, {
      expected_slots: 'whole',
      stored_slots: 'whole',
      missing_slots: 'whole',
      share: 'number or null',
      first_slot: 'whole or null',
      last_slot: 'whole or null',
      first: 'text or null',
      last: 'text or null',
    })
    assert.equal(Object.keys(coverage).length, 8)
    assert.partialDeepStrictEqual(coverage, expected)
    assert.deepEqual(
      Object.keys(body).filter((name) => /ratio|completeness|_by_tier/.test(name)),
      [],
    )
  }

const HALF = {
  expected_slots: HOLEY_SLOTS - 1,
  stored_slots: HOLEY_SLOTS / 2,
  missing_slots: HOLEY_SLOTS / 2 - 1,
  share: Math.floor((HOLEY_SLOTS / 2 / (HOLEY_SLOTS - 1)) * 1e6) / 1e6,
}
const RANGE = 'from={holey.first}&to={holey.end}'

/** On the free tier the answer starts 24 hours ago and says so; other tiers get everything. */
const isLimited: Check = ({ body }, { nowMs }) => assert.equal(Date.parse(body.history_from), nowMs - DAY_MS)

const isNotLimited: Check = ({ body }) => assert.ok(!('history_from' in body))

const HISTORY = [
  '/v1/markets/{holey}/snapshots?includebook=false',
  '/v1/markets/{holey}/gaps',
  '/v1/markets/{holey}/bars?interval=1m',
  '/v1/markets/{holey}/summary',
  '/v1/trades?marketId={holey}',
]

const USAGE_MEMBERS = ['day', 'keyId', 'keyLabel', 'endpoint', 'calls', 'credits', 'refused']

const madeKey = async (scene: ContractScene, body: Record<string, unknown>) => {
  const made = await scene.ask('key maker', '/v1/api-keys', {
    method: 'POST',
    headers: FROM_OUR_PAGES,
    payload: JSON.stringify({ label: 'names', ...body }),
  })
  if (made.status === 201) {
    await scene.ask('key maker', `/v1/api-keys/${made.body.id}`, { method: 'DELETE', headers: FROM_OUR_PAGES })
  }
  return made
}

export const nameClauses: readonly Clause[] = [
  clause('added', 'Pages by cursor are disjoint and complete, and the last one has no next_cursor.', [
    {
      as: 'pro',
      request: `/v1/markets/{holey}/gaps?${RANGE}`,
      check: all(
        ({ body }) => assert.equal(body.gaps.length, HOLEY_SLOTS / 2),
        walk('pro', `/v1/markets/{holey}/gaps?${RANGE}`, 'gaps', 7),
      ),
    },
    {
      as: 'pro',
      request: '/v1/markets/{holey}/gaps?cause=venue_silent',
      check: all(
        ({ body }) => assert.equal(body.gap_count, body.gaps.length),
        walk('pro', '/v1/markets/{holey}/gaps?cause=venue_silent', 'gaps', 6),
      ),
    },
    {
      as: 'pro',
      request: '/v1/trades?marketId={holey}',
      check: all(
        ({ body }) => assert.equal(body.trades.length, HOLEY_TRADES),
        walk('pro', '/v1/trades?marketId={holey}', 'trades', 3),
      ),
    },
    {
      as: 'pro',
      request: `/v1/markets/{holey}/bars?interval=1s&${RANGE}`,
      check: walk('pro', `/v1/markets/{holey}/bars?interval=1s&${RANGE}`, 'bars', 9),
    },
  ]),
  clause('added', 'Where the answer is a bare list, the cursor of the next page is in X-Next-Cursor.', [
    {
      as: 'pro',
      request: '/v1/exchange/snapshots?symbol=BTC&limit=2&order=asc',
      check: async ({ body, headers }, scene) => {
        const next = headers['x-next-cursor'] ?? ''
        const request = `/v1/exchange/snapshots?symbol=BTC&limit=2&order=asc&cursor=${next}`
        const { body: page } = await scene.ask('pro', request)
        const { body: both } = await scene.ask('pro', '/v1/exchange/snapshots?symbol=BTC&limit=4&order=asc')
        assert.deepEqual([...body, ...page], both)
      },
    },
    {
      as: 'scale',
      request: `/v1/markets/{holey}/gaps?${RANGE}&limit=5&format=csv`,
      check: async ({ headers }, scene) => {
        const { body } = await scene.ask('scale', `/v1/markets/{holey}/gaps?${RANGE}&limit=5`)
        assert.equal(headers['x-next-cursor'], body.next_cursor)
      },
    },
  ]),
  clause('added', 'The invoices of an account are paged by cursor, newest first.', [
    {
      as: 'scale member',
      request: '/v1/payments/invoices',
      check: async (_, scene) => {
        for (const key of ['one', 'two', 'three']) {
          await scene.ask('scale member', '/v1/payments/create-invoice', {
            method: 'POST',
            headers: { ...FROM_OUR_PAGES, 'idempotency-key': `paging ${key}` },
            payload: JSON.stringify({ pack: 'credits_10k' }),
          })
        }
        const whole = await scene.ask('scale member', '/v1/payments/invoices')
        const times = whole.body.invoices.map(({ createdAt }: { createdAt: string }) => createdAt)
        assert.ok(times.length >= 3)
        assert.deepEqual(times, times.toSorted().reverse())
        await walk('scale member', '/v1/payments/invoices', 'invoices', 2)(whole, scene)
      },
    },
  ]),
  clause('added', 'How complete a range is, is an object coverage with the same members everywhere.', [
    { as: 'pro', request: `/v1/markets/{holey}/gaps?${RANGE}`, check: hasCoverage({ share: 0.5 }) },
    {
      as: 'pro',
      request: `/v1/markets/{holey}/snapshots?${RANGE}&limit=500&includebook=false`,
      check: hasCoverage(HALF),
    },
    {
      as: 'pro',
      request: `/v1/markets/{holey}/snapshots?${RANGE}&dry_run=true`,
      check: hasCoverage({ stored_slots: HOLEY_SLOTS / 2 }),
    },
    {
      as: 'pro',
      request: '/v1/markets/{holey}/export?hour={holey.hour}&part=gaps',
      check: hasCoverage({ stored_slots: HOLEY_SLOTS / 2 }),
    },
    {
      as: 'pro',
      request: '/v1/markets/{holey}/summary',
      check: all(hasCoverage({ stored_slots: HOLEY_SLOTS / 2 + 10 }), ({ body }) => {
        assert.equal(body.coverage.expected_slots, body.coverage.stored_slots + body.coverage.missing_slots)
      }),
    },
    {
      as: 'pro',
      request: '/v1/markets/{silent}/gaps',
      check: hasCoverage({ expected_slots: 0, share: null, first: null }),
    },
  ]),
  clause('added', 'Where the tier limits an answer, history_from is the oldest time it includes.', [
    ...HISTORY.map((request) => ({ as: 'free' as const, request, check: isLimited })),
    ...HISTORY.map((request) => ({ as: 'pro' as const, request, check: isNotLimited })),
    { as: 'free', request: '/v1/markets/{closed}/snapshots?limit=2', check: isNotLimited },
    { as: 'free', request: '/v1/markets/{holey}/summary', check: isLike({ snapshot_count: HOLEY_SLOTS }) },
  ]),
  clause('added', 'Counts are numbers, except in the history list, where the interface has text.', [
    {
      as: 'nobody',
      request: '/v1/public-stats',
      check: ({ body }) => assert.ok(Number.isSafeInteger(body.snapshot_count) && body.snapshot_count > 0),
    },
    {
      as: 'pro',
      request: '/v1/markets/{holey}/summary',
      check: isLike({
        snapshot_count: 2 * (HOLEY_SLOTS / 2 + 10),
        gap_counts: { missing: HOLEY_SLOTS / 2, suspect: 0 },
      }),
    },
    {
      as: 'pro',
      request: '/v1/markets/history?status=closed&crypto=DOGE',
      check: ({ body }, scene) => {
        const entry = body.markets.find(({ market_id }: { market_id: string }) => market_id === scene.value('holey'))
        assert.equal(entry?.snapshot_count, String(2 * (HOLEY_SLOTS / 2 + 10)))
      },
    },
  ]),
  clause('added', 'What was traded has the same words in trades and in execution prices: buy and sell.', [
    {
      as: 'pro',
      request: '/v1/trades?marketId={holey}&order=asc',
      check: ({ body }) => {
        const actions = body.trades.map(({ action }: { action: string }) => action)
        assert.deepEqual(actions, ['buy', 'sell', 'sell', 'buy', 'sell', 'sell', 'buy'])
        assert.ok(body.trades.every((trade: object) => !('taker_side' in trade)))
      },
    },
    ...(['buy', 'sell'] as const).map((action) => ({
      as: 'pro' as const,
      request: `/v1/markets/{live}/execution?side=UP&action=${action}&size=5`,
      check: isLike({ action }),
    })),
  ]),
  clause('added', '`to` of a gap is not included.', [
    {
      as: 'pro',
      request: `/v1/markets/{holey}/gaps?${RANGE}&limit=1`,
      check: ({ body }) => {
        const [gap] = body.gaps
        assert.deepEqual([gap.slots, Date.parse(gap.to) - Date.parse(gap.from)], [1, body.capture_interval_ms])
        assert.equal(gap.first_slot, gap.last_slot)
      },
    },
  ]),
  clause('4.5', 'Members of the account group are in camelCase, in requests as in answers.', [
    {
      as: 'key maker',
      request: '/v1/user/tier',
      check: async (_, scene) => {
        const expiresAt = new Date(scene.nowMs + DAY_MS).toISOString()
        const { status, body } = await madeKey(scene, { expiresAt, creditLimit: 40 })
        assert.deepEqual([status, body.expiresAt, body.creditLimit], [201, expiresAt, 40])
        const { body: old } = await madeKey(scene, { expires_at: expiresAt, credit_limit: 40 })
        assert.deepEqual([old.expiresAt, old.creditLimit], [expiresAt, 40])
        const both = await madeKey(scene, { creditLimit: 40, credit_limit: 50 })
        assert.equal(both.status, 400)
        assert.match(both.body.message, /credit_limit is the old name of creditLimit/)
      },
    },
    {
      as: 'pro',
      request: '/v1/usage?group_by=key',
      check: ({ body }) => {
        assertMembers(body, { from: 'text', to: 'text', totalCalls: 'whole', totalCredits: 'whole', usage: 'list' })
        for (const row of body.usage) assert.deepEqual(Object.keys(row), USAGE_MEMBERS)
      },
    },
    {
      as: 'pro',
      request: '/v1/limits',
      check: ({ body }) =>
        assert.ok(Object.keys(body).every((name) => /^[a-z][A-Za-z]*$/.test(name)) && body.rpm === 300),
    },
  ]),
]
