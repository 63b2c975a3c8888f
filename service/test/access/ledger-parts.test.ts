import { readdir, readFile } from 'node:fs/promises'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { AUDIT_CHECKS } from '../../src/stores/platform/audit-checks.ts'

const FOLDER = new URL('../../migrations/postgres/', import.meta.url)
const PARTS = '0019-ledger-parts.sql'

async function migrate(database: Database, isWanted: (file: string) => boolean): Promise<void> {
  for (const file of (await readdir(FOLDER)).sort().filter(isWanted)) {
    const text = await readFile(new URL(file, FOLDER), 'utf8')
    await database.transaction().execute((transaction) => sql.raw(text).execute(transaction))
  }
}

const newAccount = async (database: Database): Promise<string> => {
  const { rows } = await sql<{ id: string }>`INSERT INTO accounts (name) VALUES ('a') RETURNING id`.execute(database)
  return rows[0]?.id ?? ''
}

const chargeOf = (accountId: string, idem: string) => ({
  accountId,
  credits: 3,
  idem,
  fingerprint: 'f',
  endpoint: 'e',
  requestId: 'r',
})

/** Everything that money decides about. */
const allMoney = async (database: Database): Promise<unknown> => [
  (await sql`SELECT * FROM ledger ORDER BY id`.execute(database)).rows,
  (await sql`SELECT id, balance FROM accounts ORDER BY id`.execute(database)).rows,
  (await sql`SELECT * FROM usage_days ORDER BY account_id, day, endpoint`.execute(database)).rows,
  (await sql`SELECT * FROM charged_days ORDER BY account_id, day, endpoint`.execute(database)).rows,
  (await sql`SELECT * FROM account_events ORDER BY account_id, at, kind, subject`.execute(database)).rows,
]

test('a ledger of before is in parts afterwards: no row, balance or idempotency key is lost, and open sessions go on', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migrate(database, (file) => file < PARTS)
  // One connection, so that it has compiled the functions with the old table.
  await using session = openDatabase({ url: stack.variable('DATABASE_URL'), maxConnections: 1, answerWithinMs: 30_000 })
  const ledger = new CreditLedger(session)
  const accounts = await Promise.all(Array.from({ length: 40 }, () => newAccount(database)))
  for (const accountId of accounts) {
    await ledger.grant({ accountId, credits: 10, kind: 'adjustment', idem: 'start' })
    await ledger.charge(chargeOf(accountId, 'paid'))
    await ledger.charge(chargeOf(accountId, 'paid'))
    await ledger.charge(chargeOf(accountId, 'once:voided'))
    await ledger.void(accountId, 'once:voided')
  }
  const before = await allMoney(database)
  await migrate(database, (file) => file === PARTS)
  expect(await allMoney(database)).toEqual(before)

  const { rows: parts } = await sql<{ rows: string }>`
    SELECT count(*) AS rows FROM ledger GROUP BY tableoid`.execute(database)
  expect(parts.length).toBeGreaterThan(8)
  const { rows: newest } = await sql<{ id: string }>`SELECT max(id) AS id FROM ledger`.execute(database)
  for (const accountId of accounts) {
    expect((await ledger.charge(chargeOf(accountId, 'paid'))).outcome).toBe('replayed')
    expect(await ledger.grant({ accountId, credits: 10, kind: 'adjustment', idem: 'start' })).toBe(false)
    expect(await ledger.void(accountId, 'once:voided')).toBe(0)
    expect((await ledger.charge(chargeOf(accountId, 'once:next'))).outcome).toBe('charged')
    expect(await ledger.void(accountId, 'once:next')).toBe(3)
  }
  const { rows: added } = await sql<{ ids: string }>`
    SELECT count(DISTINCT id) AS ids FROM ledger WHERE id > ${newest[0]?.id}`.execute(database)
  expect(Number(added[0]?.ids)).toBe(3 * accounts.length)
  expect(await ledger.drifts()).toEqual([])
  await migrate(database, (file) => file > PARTS)
  for (const { name, find } of AUDIT_CHECKS) expect([name, (await find.execute(database)).rows]).toEqual([name, []])
})

test('every unique key of the ledger begins with the account, and no part can be changed by its own name', async () => {
  await using stack = await borrowStack({ engines: ['postgres'] })
  await using database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migrate(database, (file) => file <= PARTS)
  const { rows: keys } = await sql<{ first: string }>`
    SELECT attname AS first FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = 'ledger'::regclass AND indisunique`.execute(database)
  expect(keys.map(({ first }) => first)).toEqual(['account_id', 'account_id', 'account_id'])
  const { rows: parts } = await sql<{ part: string }>`
    SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'ledger'::regclass`.execute(database)
  expect(parts).toHaveLength(16)
  for (const { part } of parts)
    for (const act of [`UPDATE ${part} SET delta = 1`, `DELETE FROM ${part}`, `TRUNCATE ${part} CASCADE`])
      await expect(sql.raw(act).execute(database), act).rejects.toThrow('append-only')
})
