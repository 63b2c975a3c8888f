import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Stack } from '@bookreel/stack/start-stack'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { Peppers } from '../../src/access/peppers.ts'
import { type AuditReport, audit, auditTable } from '../../src/commands/audit.ts'
import { Accounts } from '../../src/stores/accounts/accounts.ts'
import { Events } from '../../src/stores/accounts/events.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { PEPPER } from './access-scene.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

let stack: Stack
let admin: Database
let copies = 0

beforeAll(async () => {
  stack = await borrowStack({ engines: ['postgres'] })
  admin = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await sql`CREATE DATABASE healthy`.execute(admin)
  const database = openDatabase({ url: urlOf('healthy'), answerWithinMs: 30_000 })
  await migratePostgres(database)
  await live(database)
  await database.destroy()
})
afterAll(async () => {
  await admin?.destroy()
  await stack?.stop()
})

function urlOf(name: string): string {
  const url = new URL(stack.variable('DATABASE_URL'))
  url.pathname = `/${name}`
  return url.href
}

/** Two accounts with every kind of row: keys, charges, replays, refunds, a payment, a tier. */
async function live(database: Database): Promise<void> {
  const deps = { accounts: new Accounts(database), keys: new Keys(database), peppers: new Peppers(PEPPER) }
  const ledger = new CreditLedger(database)
  for (const name of ['Ada', 'Bob']) {
    const { id: accountId } = await deps.accounts.create(name)
    await ledger.spendable(accountId)
    await deps.accounts.setTier(accountId, { tier: 'pro', monthlyCredits: 0, months: 1 })
    await payFor(database, accountId)
    const issued = [1, 2, 3].map((each) => issueKey(deps, { accountId, label: `key ${each}` }))
    const [one, , revoked] = await Promise.all(issued)
    await deps.keys.revoke(revoked?.stored.id ?? '')
    const charge = { accountId, credits: 10, fingerprint: 'f', endpoint: 'list_snapshots', requestId: 'r' }
    for (const keyId of [one?.stored.id, undefined]) {
      const by = keyId === undefined ? {} : { keyId }
      await ledger.charge({ ...charge, ...by, idem: `client:${keyId}` })
      await ledger.charge({ ...charge, ...by, idem: `once:${keyId}`, endpoint: 'export_hour' })
      await ledger.void(accountId, `once:${keyId}`)
      for (let replay = 0; replay < 5; replay++) await ledger.charge({ ...charge, ...by, idem: `client:${keyId}` })
    }
    await new Events(database).note({ accountId, kind: 'session_started', subject: 'a session' })
  }
}

async function payFor(database: Database, accountId: string): Promise<void> {
  const externalId = randomUUID()
  await sql`
    INSERT INTO invoices (account_id, provider, external_id, pack, price_usd, credits, months, tier, state, expires_at, paid_at)
    VALUES (${accountId}, 'btcpay', ${externalId}, 'pro_monthly', 17, 50000, 1, 'pro', 'paid', now(), now())
  `.execute(database)
  const grant = { accountId, credits: 50_000, kind: 'payment', idem: `pay:btcpay:${externalId}` } as const
  await new CreditLedger(database).grant(grant)
}

/** The findings of an audit of a copy whose rows were changed without any checks. */
async function afterTampering(tamper: RawBuilder<unknown>): Promise<{ report: AuditReport; url: string }> {
  const name = `copy_${copies++}`
  await sql`CREATE DATABASE ${sql.id(name)} TEMPLATE healthy`.execute(admin)
  const url = urlOf(name)
  const database = openDatabase({ url, answerWithinMs: 30_000 })
  try {
    await database.connection().execute(async (connection) => {
      // Triggers and foreign keys are off, as a database superuser could do it.
      await sql`SET session_replication_role = replica`.execute(connection)
      for (const table of ['ledger', 'events', 'accounts'])
        await sql`ALTER TABLE ${sql.table(table)} DISABLE TRIGGER ALL`.execute(connection)
      await tamper.execute(connection)
    })
  } finally {
    await database.destroy()
  }
  return { report: await audit({ DATABASE_URL: url }), url }
}

const differing = ({ checks }: AuditReport): string[] =>
  checks.filter(({ outcome }) => outcome === 'differs').map(({ name }) => name)

const aLedgerRow = (kind: string) => sql`(SELECT id FROM ledger WHERE kind = ${kind} ORDER BY id LIMIT 1)`
const ONE_KEY = sql`(SELECT id FROM api_keys WHERE revoked_at IS NULL ORDER BY created_at, id LIMIT 1)`

test('the audit of untampered data finds no differences, and the command says so', async () => {
  const { report, url } = await afterTampering(sql`SELECT 1`)
  expect(report.checks.flatMap(({ findings }) => findings)).toEqual([])
  expect(report.isClean).toBe(true)
  const { stdout } = await bookreelAudit(url)
  expect(stdout).toContain('All checks passed.')
})

test.each<[what: string, tamper: RawBuilder<unknown>, differs: string[], word: RegExp]>([
  ['a balance', sql`UPDATE accounts SET balance = balance + 1 WHERE name = 'Ada'`, ['balances'], /ledger/],
  [
    'a payment without an invoice',
    sql`INSERT INTO ledger (account_id, delta, kind, idem) SELECT id, 500, 'payment', 'pay:btcpay:none' FROM accounts LIMIT 1`,
    ['balances', 'payments'],
    /no invoice/,
  ],
  [
    'an invoice that no longer is paid',
    sql`UPDATE invoices SET state = 'open', paid_at = NULL`,
    ['payments'],
    /is open/,
  ],
  ['the size of a payment', sql`UPDATE invoices SET credits = credits - 1`, ['payments'], /for 49999/],
  [
    'a payment that is gone',
    sql`DELETE FROM ledger WHERE id = ${aLedgerRow('payment')}`,
    ['balances', 'invoices'],
    /were not granted/,
  ],
  [
    'a refund of more than the charge',
    sql`UPDATE ledger SET delta = delta + 5 WHERE id = ${aLedgerRow('refund')}`,
    ['balances', 'refunds', 'usage'],
    /15 refunded/,
  ],
  [
    'a sixth replay',
    sql`INSERT INTO ledger (account_id, delta, kind, idem, ref) SELECT account_id, 0, 'replay', 'replay:six', ref FROM ledger WHERE id = ${aLedgerRow('replay')}`,
    ['replays'],
    /6 replays/,
  ],
  [
    'usage',
    sql`UPDATE usage_days SET credits = credits + 1 WHERE key_id IS NOT NULL`,
    ['usage'],
    /usage 11, ledger 10/,
  ],
  ['usage that is gone', sql`DELETE FROM usage_days WHERE credits > 0`, ['usage'], /usage 0, ledger 10/],
  [
    'an event of a key that never was',
    sql`INSERT INTO events (account_id, kind, subject) SELECT id, 'key_made', ${randomUUID()} FROM accounts LIMIT 1`,
    ['events'],
    /does not belong/,
  ],
  ['an event that is gone', sql`DELETE FROM events WHERE kind = 'key_revoked'`, ['untold'], /no key_revoked/],
  ['a key that is gone', sql`DELETE FROM api_keys WHERE id = ${ONE_KEY}`, ['events'], /key_made/],
])('%s: an audit finds it', async (_, tamper, differs, word) => {
  const { report } = await afterTampering(tamper)
  expect(differing(report)).toEqual(differs)
  expect(report.isClean).toBe(false)
  expect(auditTable(report)).toMatch(word)
})

test('the audit command exits with an error when it finds a difference, in text and in JSON', async () => {
  const { url } = await afterTampering(sql`UPDATE accounts SET balance = balance + 1 WHERE name = 'Ada'`)
  const outcome = await bookreelAudit(url).catch((error: { code: number; stdout: string }) => error)
  expect(outcome).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/balances +differs +1 .*\n.*balance 5\d+, ledger/),
  })
  const json = await bookreelAudit(url, '--json').catch((error: { code: number; stdout: string }) => error)
  expect(JSON.parse(json.stdout)).toMatchObject({ isClean: false })
})

test('more keys than a lower tier allows continue to work: the audit reports a note, not a difference', async () => {
  const { report } = await afterTampering(sql`UPDATE accounts SET tier = 'free'`)
  expect(differing(report)).toEqual([])
  expect(report.isClean).toBe(true)
  expect(report.checks.find(({ name }) => name === 'keys')).toMatchObject({
    outcome: 'note',
    findings: [1, 2].map(() => ({ detail: '2 working keys, the free tier allows 1' })),
  })
})

function bookreelAudit(url: string, ...options: string[]): Promise<{ stdout: string }> {
  const env = {
    ...COMPILE_CACHE,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    CLICKHOUSE_USER: 'u',
    CLICKHOUSE_PASSWORD: 'p',
    NATS_URL: 'nats://127.0.0.1:1',
    REDIS_URL: 'redis://127.0.0.1:1',
    DATABASE_URL: url,
  }
  return promisify(execFile)(process.execPath, [MAIN, 'audit', ...options], { env })
}

test('a correction that was begun and not finished is a note', async () => {
  const { report } = await afterTampering(
    sql`INSERT INTO corrections (market_id, hour_at, revision, reason, rows_changed, gaps_changed, trades_changed)
      VALUES ('0x01', '2027-01-31T05:00:00Z', 2, 'a test', 1, 0, 0)`,
  )
  expect(report.isClean).toBe(true)
  expect(report.checks.find(({ name }) => name === 'rebuilds')).toMatchObject({
    outcome: 'note',
    findings: [{ subject: '0x01', detail: expect.stringContaining('revision 2') }],
  })
})
