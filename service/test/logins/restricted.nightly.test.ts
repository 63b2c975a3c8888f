// Nightly: starts and restarts engines and all roles.
// Covers: service/src/domain/grants/ service/src/commands/ service/src/wiring/
import { PATIENT } from '@bookreel/testbed/service/store-limits'
import { until } from '@bookreel/testbed/until'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { audit } from '../../src/commands/audit.ts'
import type { Gap } from '../../src/domain/rows/gap.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { People } from '../../src/stores/accounts/people.ts'
import { correctHour } from '../../src/stores/books/correct-hour.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { clickHouseForm, clickHouseServers } from '../../src/wiring/engines.ts'
import { type Access, openAccess } from '../../src/wiring/open-access.ts'
import { StreamClient } from '../gateway/stream-client.ts'
import { RestrictedScene } from './restricted-scene.ts'

const REFUSED =
  /permission denied|Permissions Violation|NOPERM|Not enough privileges|must be owner|WRONGPASS|role failed/i

let scene: RestrictedScene
let operator: Access
let owner: Database

beforeAll(async () => {
  scene = await RestrictedScene.open(Date.now())
  operator = openAccess(scene.configOf('operator'), () => {}, PATIENT)
  owner = openDatabase({ url: scene.stack.variable('DATABASE_URL') })
  scene.run()
}, 300_000)
afterAll(async () => {
  await operator?.close()
  await owner?.destroy()
  await scene?.[Symbol.asyncDispose]()
})

// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its reply.
type Answer = { status: number; body: any } | undefined

async function ask(path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(`${scene.address}${path}`, {
    headers: { ...headers, ...json },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  }).catch(() => undefined)
  return answer && { status: answer.status, body: await answer.json().catch(() => undefined) }
}

test('all roles work with their own logins, and no engine refuses anything', async () => {
  // The first connection may take longer than the second that a command waits.
  const { id: accountId } = await until('PostgreSQL answers', () =>
    operator.accounts.create('Ada Lovelace').catch(() => undefined),
  )
  await operator.accounts.setTier(accountId, { tier: 'pro', monthlyCredits: 5 })
  await operator.accounts.setTier(accountId, { tier: 'scale', monthlyCredits: 0 })
  await operator.ledger.grant({ accountId, credits: 1_000, kind: 'adjustment', idem: 'gift' })
  const { key } = await issueKey(operator, { accountId, label: 'all' })
  const withKey = { 'x-api-key': key }
  await until('the API is ready', async () => (await ask('/health/ready', {}))?.status === 200)
  const id = await until('a book is served', async () => {
    const listed = await ask('/v1/markets/live?category=crypto', withKey)
    // The one that ends last, because the test has to be over before.
    const found = listed?.body?.at(-1)?.conditionId
    return found && (await ask(`/v1/markets/${found}/orderbook`, withKey))?.status === 200
      ? (found as string)
      : undefined
  })
  await until('rows are stored', async () => {
    const answer = await ask(`/v1/markets/${id}/snapshots?limit=5`, withKey)
    return answer?.body?.snapshots?.length > 0
  })
  const fromMs = Date.now() - 600_000
  for (const path of [
    `/v1/markets/${id}/bars?interval=1m&from=${fromMs}`,
    `/v1/markets/${id}/gaps?from=${fromMs}`,
    `/v1/markets/${id}/summary`,
    `/v1/markets/${id}/depth`,
    `/v1/trades?marketId=${id}`,
    '/v1/markets/history?limit=5',
    '/v1/exchange/orderbook?exchange=hyperliquid&symbol=BTC',
    '/v1/stats',
    '/v1/status',
    '/v1/public-stats',
    '/v1/limits',
    '/v1/usage',
    '/v1/categories',
  ]) {
    // The first trades and perpetual books arrive a little later than the first market.
    let last: Answer
    const isAnswered = async (): Promise<boolean> => {
      last = await ask(path, withKey)
      return last?.status === 200
    }
    await until(`${path} is answered`, isAnswered).catch(() => {
      throw new Error(`${path}: ${last?.status} ${JSON.stringify(last?.body)}`)
    })
  }
  for (const address of [scene.address.replace('http', 'ws'), scene.gatewayAddress]) {
    const client = await StreamClient.open(`${address}/v1/stream`, key)
    await client.ask({ op: 'subscribe', selectors: [{ market: id }] })
    await client.until(({ type, market }) => type === 'snapshot' && market === id)
    await client.close()
  }
  expect(scene.logged.filter((line) => REFUSED.test(line))).toEqual([])
})

test('a person signs in, makes and revokes a key, and pays, with the login of the API and of payments', async () => {
  const api = openAccess(scene.configOf('api'), () => {}, PATIENT)
  try {
    await api.untilRedisReady()
    const { accountId } = await new People(api.database).signIn({ issuer: 'i', subject: 's', email: 'a@b.example' })
    const token = await api.sessions.begin({ accountId, idToken: 'none' })
    const browser = {
      cookie: `${SESSION_COOKIE}=${token}`,
      origin: scene.address,
      'x-requested-with': 'bookreel',
    }
    const made = await ask('/v1/api-keys', browser, { label: 'mine' })
    expect(made?.status, JSON.stringify(made?.body)).toBe(201)
    const invoice = await ask('/v1/payments/create-invoice', browser, { pack: 'pro_monthly' })
    expect(invoice?.status, JSON.stringify(invoice?.body)).toBe(200)
    const admin = `${scene.simulator.addresses.admin}/payments/invoices`
    const [listed] = (await (await fetch(admin)).json()) as { id: string }[]
    await fetch(`${admin}/${listed?.id}`, {
      method: 'POST',
      body: JSON.stringify({ act: 'pay' }),
      headers: { 'content-type': 'application/json' },
    })
    await until('the payment is booked', async () => {
      const { rows } = await sql`SELECT 1 FROM ledger WHERE account_id = ${accountId} AND kind = 'payment'`.execute(
        owner,
      )
      return rows.length === 1
    })
    await until(
      'the probe is stored',
      async () => (await sql`SELECT 1 FROM probe_hours`.execute(owner)).rows.length > 0,
    )
    expect(await operator.sessions.endAll(accountId)).toBe(1)
  } finally {
    await api.close()
  }
  expect((await audit(scene.configOf('operator'))).isClean).toBe(true)
  expect(scene.logged.filter((line) => REFUSED.test(line))).toEqual([])
})

test('the login of the operator is enough for a rebuild', async () => {
  const config = scene.configOf('operator')
  const clients = clickHouseServers(config)
  const database = openDatabase({ url: config.DATABASE_URL, answerWithinMs: 30_000 })
  const corrections = new Corrections(database)
  const hourMs = Date.parse('2026-11-15T05:00:00Z')
  const [marketId, intervalMs, fromSlot] = [`0x${'7'.repeat(64)}`, 1_000, hourMs / 1_000]
  const gap: Gap = {
    marketId,
    intervalMs,
    fromSlot,
    toSlot: fromSlot + 9,
    knownAtSlot: fromSlot,
    cause: 'resync',
    kind: 'missing',
    detail: '',
  }
  const correct = (gaps: Gap[]) =>
    corrections.alone(() =>
      correctHour(
        { clients, form: clickHouseForm(config) },
        corrections,
        { marketId, hourMs, snapshots: [], gaps, trades: [] },
        'a test',
      ),
    )
  try {
    expect(await correct([gap])).toMatchObject({ result: { revision: 2, changes: { gaps: 1 } } })
    expect(await correct([])).toMatchObject({ result: { revision: 3, changes: { gaps: 1 } } })
  } finally {
    await Promise.all([...clients.map((client) => client.close()), database.destroy()])
  }
})
