// Nightly: kills engines and measures in seconds.
// Covers: service/src/http/ service/src/pipeline/ service/src/stores/engines/
import { BRIEF } from '@bookreel/testbed/service/store-limits'
import { type Answered, TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { StoredMarket } from '../../src/stores/markets/postgres-market-rows.ts'

const PRICE = 10
/** The longest wait for an unavailable store. Usually it is 2 s; a slow machine needs longer. */
const HEALTH_KNOWS_WITHIN_MS = 30_000
const ANSWERED_WITHIN_MS = 30_000
const BACK_WITHIN_MS = 60_000

let service: TestService
let key: string
/** An account has few concurrent history reads, so these requests use other accounts. */
let otherKeys: string[]
let market: StoredMarket

beforeAll(async () => {
  service = await TestService.start({ record: true, limits: BRIEF })
  key = await service.keyOf('enterprise')
  otherKeys = await Promise.all([1, 2, 3, 4].map(() => service.keyOf('enterprise', { fresh: true })))
  market = await vi.waitUntil(longLived, { timeout: 120_000, interval: 500 })
  await untilHealthy()
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

/** A market that, unlike a window, does not end while the test runs. */
async function longLived(): Promise<StoredMarket | undefined> {
  const { catalogue, marketDays, newestRows } = service.stores
  const found = catalogue.list({ category: 'crypto', timeframe: 'hit-price', statuses: ['live'] }, Date.now()).at(-1)
  const isRecorded =
    found && (await marketDays.days(found.id)).length > 0 && (await newestRows.read(found.id)).length > 0
  return isRecorded ? found : undefined
}

/** All requests while a store is unavailable; those that cost credits are sent once. */
function requests(): Record<string, string> {
  const of = (rest: string): string => `/v1/markets/${market.id}/${rest}`
  const moment = new Date(Date.now() - 40_000).toISOString()
  return {
    categories: '/v1/categories',
    live: '/v1/markets/live?limit=5',
    'live with results': '/v1/markets/live?limit=5&results=true',
    market: `/v1/markets/by-slug/${market.slug}`,
    book: of('orderbook'),
    'book by slug': `/v1/markets/by-slug/${market.slug}/orderbook`,
    latest: '/api/snapshot/latest',
    perp: '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp',
    summary: of('summary'),
    recent: '/v1/markets/history/recent',
    snapshots: of('snapshots?limit=4'),
    snapshot: `/api/snapshot?timestamp=${new Date(Date.now() - 2_000).toISOString()}&marketId=${market.id}`,
    perps: '/v1/exchange/snapshots?symbol=BTC&limit=4',
    gaps: of('gaps'),
    bars: of('bars?interval=1s'),
    trades: `/v1/trades?marketId=${market.id}`,
    'as of': `/v1/asof?timestamp=${moment}&markets=${market.id}`,
    debug: '/api/debug',
    validate: '/v1/api-keys/validate',
    limits: '/v1/limits',
    packs: '/v1/payments/packs',
  }
}

const HISTORY = ['summary', 'recent', 'snapshots', 'snapshot', 'perps', 'gaps', 'bars', 'trades', 'as of']

/** For each engine, the endpoints that need it. All others must work without it. */
const AWAY = [
  { engine: 'redis', refused: ['book', 'book by slug', 'latest', 'perp'], states: { cache: /down/ } },
  { engine: 'clickhouse', refused: ['live with results', ...HISTORY], states: { analytics_store: /down/ } },
  { engine: 'postgres', refused: ['snapshots', 'validate', 'limits'], states: { accounts: /down/ } },
  { engine: 'nats', refused: [], states: { pipeline: /degraded|down/ } },
] as const
const CASES = AWAY.flatMap((away) => (['killed', 'mute'] as const).map((how) => ({ ...away, how })))

async function askAll(): Promise<Record<string, Answered>> {
  const asked = Object.entries(requests()).map(async ([name, path], index) => {
    const other = otherKeys[index % otherKeys.length] ?? key
    return [name, await service.ask(path, { key: name === 'snapshots' ? key : other })] as const
  })
  return Object.fromEntries(await Promise.all(asked))
}

function statuses(answers: Record<string, Answered>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(answers).map(([name, { status, body }]) => [name, `${status} ${body?.error ?? ''}`.trim()]),
  )
}

async function untilHealthy(): Promise<void> {
  const isWell = async (): Promise<boolean> => (await service.ask('/health')).body.status === 'ok'
  await vi.waitUntil(isWell, { timeout: BACK_WITHIN_MS, interval: 200 })
}

async function credits(): Promise<number> {
  const { accessControl } = service.access
  return (await accessControl.spendable(await accessControl.authenticate(key, '10.0.0.9'))).balance
}

test.each(CASES)(
  '$engine $how: what needs it is 503 and free of charge, everything else works, health shows it, and recovers with it',
  async ({ engine, how, refused, states }) => {
    const expected = Object.fromEntries(
      Object.keys(requests()).map((name) => [
        name,
        (refused as readonly string[]).includes(name) ? '503 store_unavailable' : '200',
      ]),
    )
    // What was undone late in an earlier case must not change this balance.
    key = await service.keyOf('enterprise', { fresh: true })
    const before = await credits()
    let delivered = 0
    // Only a recently used key is cached.
    for (const each of [key, ...otherKeys])
      expect((await service.ask('/v1/categories', { key: each })).status).toBe(200)
    const handle = service.stack.engine(engine)
    await (how === 'killed' ? handle.kill() : handle.pause())
    const goneAt = performance.now()
    try {
      const knownMs = await untilHealthSays(states, goneAt)
      expect(knownMs).toBeLessThan(HEALTH_KNOWS_WITHIN_MS)
      if (engine === 'redis') await untilForgotten(requests().book ?? '')
      let answers: Awaited<ReturnType<typeof askAll>> = {}
      let tookMs = 0
      // A machine that pauses for longer than the limits of the stores makes them look unavailable.
      const now = async () => {
        const askedAt = performance.now()
        answers = await askAll()
        tookMs = performance.now() - askedAt
        if (answers.snapshots?.status === 200) delivered++
        return statuses(answers)
      }
      await expect.poll(now, { timeout: 120_000, interval: 500 }).toEqual(expected)
      expect(tookMs).toBeLessThan(ANSWERED_WITHIN_MS)
      for (const { status, headers, text } of Object.values(answers)) {
        if (status === 200) continue
        expect(Number(headers['retry-after'])).toBeGreaterThan(0)
        expect(text).not.toMatch(/127\.0\.0\.1|localhost|ECONN|clickhouse|redis|postgres|nats/i)
      }
    } finally {
      await (how === 'killed' ? handle.restart() : handle.resume())
    }
    await untilHealthy()
    await vi.waitUntil(async () => (await service.ask('/v1/api-keys/validate', { key })).status === 200, {
      timeout: BACK_WITHIN_MS,
    })
    if (!(engine === 'postgres' && how === 'mute')) expect(await credits()).toBe(before - delivered * PRICE)
    await vi.waitUntil(
      async () => {
        const { snapshots: _, ...answers } = await askAll()
        const isWell = Object.values(answers).every(({ status }) => status === 200)
        return isWell && answers.book?.body.stale === false
      },
      { timeout: BACK_WITHIN_MS, interval: 500 },
    )
  },
  240_000,
)

// A paused PostgreSQL executes the statements it has received when it resumes, although nobody waits for them.
test('postgres unresponsive: a response that was not delivered is not charged', async () => {
  const before = await credits()
  const undoneBefore = await undoneCount()
  const postgres = service.stack.engine('postgres')
  await postgres.pause()
  try {
    expect((await service.ask(requests().snapshots ?? '', { key })).status).toBe(503)
  } finally {
    await postgres.resume()
  }
  await untilHealthy()
  await vi.waitUntil(async () => (await undoneCount()) > undoneBefore, { timeout: 120_000, interval: 200 })
  expect(await credits()).toBe(before)
}, 360_000)

async function undoneCount(): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) AS count FROM ledger WHERE kind IN ('void', 'refund')`.execute(service.access.database)
  return Number(rows[0]?.count)
}

/** The newest book is cached for two seconds without Redis. */
async function untilForgotten(path: string): Promise<void> {
  await vi.waitUntil(async () => (await service.ask(path, { key })).status === 503, { timeout: 120_000, interval: 100 })
}

/** Returns how long health took to show the state. */
async function untilHealthSays(states: Readonly<Record<string, RegExp>>, sinceMs: number): Promise<number> {
  const [[name, state] = ['', /./]] = Object.entries(states)
  await vi.waitUntil(
    async () => {
      const { body } = await service.ask('/health')
      return state.test(body[name]) && body.status !== 'ok'
    },
    { timeout: 2 * HEALTH_KNOWS_WITHIN_MS, interval: 50 },
  )
  return performance.now() - sinceMs
}
