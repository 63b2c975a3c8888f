import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TIER_LIMITS } from '../../src/domain/tier.ts'
import type { Charge } from '../../src/stores/money/credit-ledger.ts'
import { AccessScene } from './access-scene.ts'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(async () => {
  const drifts = await scene.ledger.drifts()
  await scene[Symbol.asyncDispose]()
  expect(drifts).toEqual([])
})

function chargeOf(accountId: string, change: Partial<Charge> = {}): Charge {
  const idem = `once:${Math.random()}`
  return { accountId, credits: 10, idem, fingerprint: 'f', endpoint: 'snapshots', requestId: 'r', ...change }
}

async function rowsOf(accountId: string) {
  return scene.database.selectFrom('ledger').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
}

test('of 1000 concurrent charges of 10 on a balance of 100, exactly 10 are paid', async () => {
  const { id } = await scene.newAccount('pro', 100)
  const results = await Promise.all(Array.from({ length: 1_000 }, () => scene.ledger.charge(chargeOf(id))))
  const counts = Map.groupBy(results, ({ outcome }) => outcome)
  expect(counts.get('charged')).toHaveLength(10)
  expect(counts.get('out_of_credits')).toHaveLength(990)
  expect((await scene.accounts.find(id))?.balance).toBe(0)
  expect((await rowsOf(id)).filter(({ kind }) => kind === 'charge')).toHaveLength(10)
})

test('concurrent charges under one idempotency key pay once, five replays are free, the rest are refused', async () => {
  const { id } = await scene.newAccount('pro', 1_000)
  const charge = chargeOf(id, { idem: 'client:same' })
  const results = await Promise.all(Array.from({ length: 20 }, () => scene.ledger.charge(charge)))
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length
  expect([count('charged'), count('replayed'), count('spent')]).toEqual([1, 5, 14])
  expect((await scene.accounts.find(id))?.balance).toBe(990)
})

test('the same idempotency key for another request is refused, whatever the balance, and uses no replay', async () => {
  const { id } = await scene.newAccount('pro', 10)
  const charge = chargeOf(id, { idem: 'client:one' })
  expect(await scene.ledger.charge(charge)).toMatchObject({ outcome: 'charged', charged: 10, balance: 0 })
  for (let time = 0; time < 7; time++) {
    expect(await scene.ledger.charge({ ...charge, fingerprint: 'another' })).toMatchObject({ outcome: 'mismatch' })
  }
  expect(await scene.ledger.charge(charge)).toMatchObject({ outcome: 'replayed', charged: 0, balance: 0 })
  const other = await scene.newAccount('pro', 10)
  expect(await scene.ledger.charge({ ...charge, accountId: other.id })).toMatchObject({ outcome: 'charged' })
})

test('a replay is free for 24 hours', async () => {
  const { id } = await scene.newAccount('pro', 1_000)
  const paidAt = async (hoursAgo: number, idem: string) => {
    const at = new Date((await postgresNowMs(scene.database)) - hoursAgo * 3_600_000)
    const row = { account_id: id, delta: -10, kind: 'charge', idem, fingerprint: 'f', endpoint: 'snapshots', at }
    const rest = { ref: null, key_id: null, request_id: null, note: null }
    await scene.database
      .insertInto('ledger')
      .values({ ...row, ...rest })
      .execute()
    return (await scene.ledger.charge(chargeOf(id, { idem }))).outcome
  }
  expect(await paidAt(23.9, 'client:young')).toBe('replayed')
  expect(await paidAt(24.1, 'client:old')).toBe('spent')
})

test('ledger rows are never changed or deleted, and no balance changes without a row', async () => {
  const { id } = await scene.newAccount('pro', 50)
  const refused = [
    scene.database.updateTable('ledger').set({ delta: 1_000 }).where('account_id', '=', id).execute(),
    scene.database.deleteFrom('ledger').where('account_id', '=', id).execute(),
    sql`TRUNCATE ledger`.execute(scene.database),
    sql`UPDATE accounts SET balance = 1000 WHERE id = ${id}`.execute(scene.database),
    sql`INSERT INTO accounts (name, balance) VALUES ('rich', 5)`.execute(scene.database),
  ]
  const outcomes = await Promise.allSettled(refused)
  const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'done'))
  expect(reasons.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('append-only')))
  expect(reasons.slice(3)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('only the ledger')))
  const overdrawn = scene.ledger.grant({ accountId: id, credits: -51, kind: 'adjustment', idem: 'too much' })
  await expect(overdrawn).rejects.toThrow(/accounts_balance_not_negative/)
  expect((await scene.accounts.find(id))?.balance).toBe(50)
  expect((await rowsOf(id)).filter(({ idem }) => idem === 'too much')).toEqual([])
})

test('concurrent grants under one name are given once', async () => {
  const { id } = await scene.newAccount()
  const grant = { accountId: id, credits: 500, kind: 'payment', idem: 'pay:coins:7' } as const
  const given = await Promise.all(Array.from({ length: 50 }, () => scene.ledger.grant(grant)))
  expect(given.filter(Boolean)).toHaveLength(1)
  expect((await scene.accounts.find(id))?.balance).toBe(500)
})

test('a new account gets the credits of the free tier at its first read, once a month', async () => {
  const { id } = await scene.accounts.create('new')
  const asked = await Promise.all(Array.from({ length: 40 }, () => scene.ledger.spendable(id)))
  expect(new Set(asked.map((each) => each?.balance))).toEqual(new Set([TIER_LIMITS.free.creditsPerMonth]))
  const rows = await rowsOf(id)
  expect(rows.map(({ idem }) => idem)).toEqual([`grant:${id}:${rows[0]?.at.toISOString().slice(0, 7)}`])
  const { id: chargedFirst } = await scene.accounts.create('charged first')
  expect(await scene.ledger.charge(chargeOf(chargedFirst))).toMatchObject({ outcome: 'charged', balance: 4_990 })
})

/** An account that was given its tier some time ago. */
async function accountSince(since: string, monthlyCredits: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO accounts (name, tier, tier_since, tier_expires_at, monthly_credits)
    SELECT 'annual', 'scale', since, (since AT TIME ZONE 'UTC' + interval '12 months') AT TIME ZONE 'UTC', ${monthlyCredits}
    FROM (SELECT now() - ${since}::interval AS since) AS begin RETURNING id`.execute(scene.database)
  return rows[0]?.id ?? ''
}

test('a paid year is granted month by month, including months without any request', async () => {
  const id = await accountSince('3 months 1 day', 700)
  const asked = await Promise.all(Array.from({ length: 20 }, () => scene.ledger.spendable(id)))
  expect(new Set(asked.map((each) => each?.balance))).toEqual(new Set([3 * 700]))
  await scene.database.updateTable('accounts').set({ next_grant_at: '-infinity' }).where('id', '=', id).execute()
  expect((await scene.ledger.spendable(id))?.balance).toBe(3 * 700)
})

test('when a paid year has ended, its outstanding months are granted, and then the free month', async () => {
  const id = await accountSince('12 months 2 days', 100)
  expect((await scene.accounts.find(id))?.tier).toBe('free')
  expect((await scene.ledger.spendable(id))?.balance).toBe(11 * 100 + TIER_LIMITS.free.creditsPerMonth)
  expect(await rowsOf(id)).toHaveLength(12)
})

test('a tier for a year starts with no grant due and ends on its end date', async () => {
  const { id } = await scene.newAccount('free')
  await scene.accounts.setTier(id, { tier: 'pro', months: 12, monthlyCredits: 50_000 })
  expect((await scene.ledger.spendable(id))?.balance).toBe(TIER_LIMITS.free.creditsPerMonth)
  const account = await scene.accounts.find(id)
  expect(account?.tier).toBe('pro')
  const since = new Date(account?.tierSinceMs ?? 0)
  const expires = new Date(account?.tierExpiresAtMs ?? 0)
  expect(expires.getUTCFullYear() - since.getUTCFullYear()).toBe(1)
  expect(expires.getUTCMonth()).toBe(since.getUTCMonth())
})

test('a key spends at most its own monthly limit under concurrent charges; each charge stores key and endpoint', async () => {
  const { id } = await scene.newAccount('pro', 1_000)
  const { stored } = await scene.newKey(id, { creditLimit: 35 })
  const charge = () => scene.ledger.charge(chargeOf(id, { keyId: stored.id }))
  const results = await Promise.all(Array.from({ length: 100 }, charge))
  expect(results.filter(({ outcome }) => outcome === 'charged')).toHaveLength(3)
  expect(results.filter(({ outcome }) => outcome === 'key_limit')).toHaveLength(97)
  expect(await scene.ledger.spendable(id, stored.id)).toEqual({ balance: 970, keyLeft: 5 })
  expect((await scene.keys.list(id))[0]?.spentThisMonth).toBe(30)
  const charges = (await rowsOf(id)).filter(({ kind }) => kind === 'charge')
  expect(charges.map((row) => [row.key_id, row.endpoint])).toEqual(Array(3).fill([stored.id, 'snapshots']))

  const lastMonth = sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date - 1`
  await scene.database.updateTable('api_keys').set({ spent_month: lastMonth }).where('id', '=', stored.id).execute()
  expect(await charge()).toMatchObject({ outcome: 'charged', keyLeft: 25 })
})

test('charging an account that does not exist is refused', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000'
  expect(await scene.ledger.charge(chargeOf(nobody))).toMatchObject({ outcome: 'unknown_account', charged: 0 })
  expect(await scene.ledger.spendable(nobody)).toBeUndefined()
})
