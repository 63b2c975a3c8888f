import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { PastMarket } from '@bookreel/testbed/service/past-market'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'

const DAY_MS = 86_400_000

let service: TestService
let accountId: string
let keys: { key: string; id: string }[]
let marketId: string
/** The day of the ledger, which may end during the test. */
const today = async (): Promise<string> =>
  new Date(await postgresNowMs(service.access.database)).toISOString().slice(0, 10)

beforeAll(async () => {
  service = await TestService.start()
  const past = await PastMarket.save(service, 'used')
  await past.putRows(past.rows(0, 9))
  marketId = past.market.id
  const { access } = service
  accountId = (await access.accounts.create('user')).id
  await access.accounts.setTier(accountId, { tier: 'scale', monthlyCredits: 0 })
  keys = await Promise.all(
    ['bot', 'notebook'].map(async (label) => {
      const { key, stored } = await issueKey(access, { accountId, label })
      return { key, id: stored.id }
    }),
  )
})
afterAll(() => service?.[Symbol.asyncDispose]())

const ask = (path: string, as = 0) => service.ask(path, { key: keys[as]?.key })

test('served, charged and refused calls are listed by day, key and endpoint', async () => {
  const firstDay = await today()
  const list = `/v1/markets/${marketId}/snapshots?limit=2`
  for (const as of [0, 0, 1]) expect((await ask(list, as)).status).toBe(200)
  for (const _ of [1, 2, 3]) expect((await ask('/v1/categories', 1)).status).toBe(200)
  expect((await ask('/v1/categories?nonsense=1', 1)).status).toBe(400)
  expect((await ask(`${list}&nonsense=1`)).status).toBe(400)
  const wanted = [
    {
      day: null,
      keyId: keys[0]?.id,
      keyLabel: 'bot',
      endpoint: 'list_snapshots',
      calls: 2,
      credits: 20,
      refused: { invalid_request: 1 },
    },
    {
      day: null,
      keyId: keys[1]?.id,
      keyLabel: 'notebook',
      endpoint: 'list_categories',
      calls: 3,
      credits: 0,
      refused: { invalid_request: 1 },
    },
    {
      day: null,
      keyId: keys[1]?.id,
      keyLabel: 'notebook',
      endpoint: 'list_snapshots',
      calls: 1,
      credits: 10,
      refused: {},
    },
  ]
  // The ledger has the days of PostgreSQL; one of them may end during the test.
  service.clock.nowMs = (await postgresNowMs(service.access.database)) + DAY_MS
  await vi.waitFor(
    async () => {
      const { status, body } = await ask('/v1/usage?group_by=key,endpoint')
      expect(status).toBe(200)
      const usage = body.usage.filter(({ endpoint }: { endpoint: string }) => endpoint !== 'get_usage')
      expect(usage).toHaveLength(wanted.length)
      expect(usage).toEqual(expect.arrayContaining(wanted))
      expect(body).toMatchObject({ totalCredits: 30, totalRefused: 2 })
    },
    { timeout: 120_000, interval: 500 },
  )
  const { body: byDay } = await ask('/v1/usage?group_by=day')
  const days: { day: string; credits: number }[] = byDay.usage
  const lastDay = await today()
  expect(days.every(({ day }) => firstDay <= day && day <= lastDay)).toBe(true)
  expect(days.reduce((sum, { credits }) => sum + credits, 0)).toBe(30)
  expect((Date.parse(byDay.to) - Date.parse(byDay.from)) / DAY_MS).toBe(30)
  const { body } = await ask('/v1/usage?group_by=endpoint')
  expect(body.usage).toContainEqual({
    day: null,
    keyId: null,
    keyLabel: null,
    endpoint: 'list_snapshots',
    calls: 3,
    credits: 30,
    refused: { invalid_request: 1 },
  })
  const own = await ask(`/v1/usage?group_by=key&key_id=${keys[0]?.id}`)
  expect(own.body.usage).toMatchObject([{ keyLabel: 'bot', credits: 20 }])
  expect(own.headers['x-credits-cost']).toBe('0')
})

test('a flat file has the same rows, and its totals in headers', async () => {
  const { headers, text } = await ask('/v1/usage?format=csv&group_by=endpoint')
  const [head, ...rows] = text.trim().split('\n')
  expect(head).toBe('day,keyId,keyLabel,endpoint,calls,credits,refused')
  expect(rows).toContain('\\N,\\N,\\N,list_snapshots,3,30,"{""invalid_request"":1}"')
  expect(headers['x-total-credits']).toBe('30')
  expect((Date.parse(headers['x-to'] ?? '') - Date.parse(headers['x-from'] ?? '')) / DAY_MS).toBe(30)
})

test('a caller that is refused by its rate limit or its tier sees which codes it gets, also on endpoints that never served it', async () => {
  const key = await service.keyOf('free', { fresh: true })
  const paths = ['/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp', '/v1/markets/0xnone/gaps']
  for (const path of paths) await service.ask(path, { key })
  const isRefused = async () => (await service.ask('/v1/categories', { key })).status === 429
  while (!(await isRefused()));
  await vi.waitFor(
    async () => {
      const { body } = await service.ask('/v1/usage?group_by=endpoint', { key })
      const refused = Object.fromEntries(
        body.usage.map((row: { endpoint: string; refused: unknown }) => [row.endpoint, row.refused]),
      )
      expect(refused).toMatchObject({
        get_exchange_orderbook: { tier_not_allowed: 1 },
        list_gaps: { market_not_found: 1 },
        list_categories: { rate_limited: 1 },
      })
    },
    { timeout: 120_000, interval: 1_000 },
  )
})

test('usage of another account is not shown: the list is empty with a reason', async () => {
  const other = await service.keyOf('scale', { fresh: true })
  const { status, body, headers } = await service.ask(`/v1/usage?key_id=${keys[0]?.id}`, { key: other })
  expect([status, body.usage, headers['x-empty-reason']]).toEqual([200, [], 'no_match'])
})

test.each([
  ['from', () => 'from=2026-11-02&to=2026-11-02', /before to/],
  ['from', () => 'from=2026-08-01&to=2026-11-02', /at most \d+ days before to/],
  ['from', () => 'from=2026-11-31', /a day such as/],
  ['to', () => 'to=yesterday', /a day such as/],
  ['group_by', () => 'group_by=day,month', /some of day, key, endpoint/],
  ['key_id', () => 'key_id=7', /id of a key/],
])('invalid %s is refused with its reason', async (parameter, query, word) => {
  const { status, body } = await ask(`/v1/usage?${query()}`)
  expect([status, body.error]).toEqual([400, 'invalid_request'])
  expect(body.details.problems[0]).toMatchObject({ parameter, problem: expect.stringMatching(word) })
})

test('ninety-two days can be requested at once', async () => {
  expect((await ask('/v1/usage?from=2026-08-02&to=2026-11-02')).status).toBe(200)
  expect((await service.ask('/v1/usage')).status).toBe(401)
})
