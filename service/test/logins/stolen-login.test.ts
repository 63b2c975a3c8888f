import { randomUUID } from 'node:crypto'
import type { Stack } from '@bookreel/stack/start-stack'
import { rewriteHistory } from '@bookreel/testbed/service/rewrite-history'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { createPostgresLogins, settingsFor } from '@bookreel/testbed/stacks/test-logins'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { Peppers } from '../../src/access/peppers.ts'
import type { LoginName } from '../../src/domain/grants/login-names.ts'
import { TIER_LIMITS } from '../../src/domain/tier.ts'
import { Accounts } from '../../src/stores/accounts/accounts.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { People } from '../../src/stores/accounts/people.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { applyPostgresRights } from '../../src/stores/engines/postgres-rights.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'

const SERVING = ['api', 'gateway'] as const

let stack: Stack
let owner: Database
/** The account of a customer with a key, charges and an invoice. */
let victim: string
let keyId: string

beforeAll(async () => {
  stack = await borrowStack({ engines: ['postgres', 'redis'] })
  owner = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await createPostgresLogins(stack)
  await migratePostgres(owner)
  await applyPostgresRights(owner)
  victim = (await new People(owner).signIn({ issuer: 'i', subject: 'victim', email: 'victim@mail.test' })).accountId
  keyId = (await newKey(victim)).stored.id
}, 300_000)
afterAll(async () => {
  await owner?.destroy()
  await stack?.stop()
})

function newKey(accountId: string) {
  const peppers = new Peppers('a pepper that a stolen login does not have')
  return issueKey({ accounts: new Accounts(owner), keys: new Keys(owner), peppers }, { accountId, label: 'mine' })
}

/** What PostgreSQL answers to this login: rows, or the code of an error. 42501 is a missing privilege. */
async function ask(name: LoginName, statement: string): Promise<Record<string, unknown>[] | string | undefined> {
  const client = new pg.Client({ connectionString: settingsFor(stack, name).DATABASE_URL })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } catch (error) {
    return (error as pg.DatabaseError).code
  } finally {
    await client.end()
  }
}

async function balanceOf(accountId: string): Promise<number | undefined> {
  return (await new Accounts(owner).find(accountId))?.balance
}

test.each(SERVING)(
  'the login of %s reads no names and hashes, and writes no keys, events, prices and credits',
  async (name) => {
    const statements = [
      'SELECT name FROM accounts',
      'SELECT * FROM people',
      'SELECT hash FROM api_keys',
      'SELECT former_hash FROM api_keys',
      "UPDATE api_keys SET hash = sha256('mine')",
      "UPDATE api_keys SET former_hash = sha256('mine')",
      `INSERT INTO api_keys (account_id, hash, pepper_id, preview, label, scopes)
     VALUES ('${victim}', sha256('mine'), 'p', '', 'mine', '{}')`,
      `INSERT INTO events (account_id, kind, subject) VALUES ('${victim}', 'tier_changed', '${victim}')`,
      `INSERT INTO invoices (account_id, provider, pack, price_usd, credits, months, tier, expires_at)
     VALUES ('${victim}', 'btcpay', 'mine', 0.01, 1000000, 12, 'enterprise', now())`,
      'UPDATE invoices SET price_usd = 0.01',
      'UPDATE invoices SET credits = 1000000',
      'UPDATE packs SET price_usd = 0.01',
      `INSERT INTO usage_days (account_id, day, endpoint, credits) VALUES ('${victim}', now(), 'mine', -1)`,
    ]
    for (const statement of statements) expect(await ask(name, statement), statement).toBe('42501')
  },
)

test.each(SERVING)(
  'the login of %s gives back only what it may be unsure about: a charge of its own, of the last minutes, once',
  async (name) => {
    const { id } = await new Accounts(owner).create('charged')
    const ledger = new CreditLedger(owner)
    const before = (await ledger.spendable(id))?.balance ?? 0
    const charged = ['client:theirs', 'held:2026-11-18:a-file', 'once:old', 'once:young']
    const charge = { accountId: id, credits: 10, fingerprint: 'f', endpoint: 'e', requestId: 'r' }
    for (const idem of charged) await ledger.charge({ ...charge, idem })
    await rewriteHistory(stack, "UPDATE ledger SET at = at - interval '11 minutes' WHERE idem = 'once:old'")
    const giveBack = (idem: string) => ask(name, `SELECT * FROM void_charge('${id}', '${idem}')`)
    const all = `SELECT sum(void_charge(account_id, idem)) FROM ledger WHERE kind = 'charge' AND account_id = '${id}'`
    expect(await ask(name, all)).toBe('42501')
    expect(await giveBack('client:theirs')).toBe('42501')
    expect(await giveBack('held:2026-11-18:a-file')).toBe('42501')
    // Else a payment with this name could not be booked.
    expect(await giveBack('pay:btcpay:1')).toBe('42501')
    expect(await giveBack('once:old')).toEqual([{ refunded: null }])
    expect(await balanceOf(id)).toBe(before - 40)
    expect(await giveBack('once:young')).toEqual([{ refunded: '10' }])
    expect(await giveBack('once:young')).toEqual([{ refunded: '0' }])
    expect(await balanceOf(id)).toBe(before - 30)
  },
)

test('the login of the API finds fifty people at a time, and each search is an event; that of the gateway finds nobody', async () => {
  const people = new People(owner)
  for (let number = 0; number < 60; number++)
    await people.signIn({ issuer: 'i', subject: `crowd ${number}`, email: `crowd${number}@mail.test` })
  const searches = async () => {
    const { rows } = await sql<{ detail: unknown }>`
      SELECT detail FROM events WHERE kind = 'accounts_searched' AND account_id = ${victim} ORDER BY id
    `.execute(owner)
    return rows.map(({ detail }) => detail)
  }
  const search = `SELECT * FROM search_accounts('${victim}', '@mail.test', 1000000)`
  const found = (await ask('api', search)) as { account_id: string }[]
  expect(found).toHaveLength(50)
  expect(await searches()).toEqual([{ found: 50, accounts: found.map(({ account_id: id }) => id) }])
  expect(await ask('api', `SELECT * FROM search_accounts('${victim}', 'nobody at all', NULL)`)).toEqual([])
  expect(await searches()).toHaveLength(2)
  // Nobody searches without a name.
  expect(await ask('api', `SELECT * FROM search_accounts('${randomUUID()}', '@mail.test', 1)`)).toBe('23503')
  expect(await ask('gateway', search)).toBe('42501')
})

test.each(SERVING)(
  'the login of %s cannot give the secret of a key to another, because it knows no hash',
  async (name) => {
    const hashes = async () => (await sql`SELECT hash, former_hash FROM api_keys ORDER BY id`.execute(owner)).rows
    const before = await hashes()
    expect(await ask(name, `SELECT rehash_key('${keyId}', sha256('guessed'), sha256('mine'), 'p')`)).toHaveLength(1)
    expect(await ask(name, `SELECT rehash_key('${keyId}', NULL, sha256('mine'), 'p')`)).toHaveLength(1)
    expect(await ask(name, `SELECT * FROM find_keys(ARRAY[sha256('guessed'), NULL])`)).toEqual([])
    const changed = await ask(name, `SELECT * FROM change_key('${victim}', '${keyId}', '{"label": "named"}')`)
    expect(changed).toEqual(name === 'api' ? [expect.not.objectContaining({ hash: expect.anything() })] : '42501')
    expect(await hashes()).toEqual(before)
  },
)

test('the login of the API makes no more keys than the tier allows, and that of the gateway none', async () => {
  const { id } = await new Accounts(owner).create('keyless')
  const issue = (secret: string) =>
    `SELECT id FROM issue_key('${id}', sha256('${secret}'), 'p', '', 'label', '{}', NULL, NULL)`
  expect(await ask('gateway', issue('none'))).toBe('42501')
  expect(await ask('gateway', `SELECT rotate_key('${victim}', '${keyId}', sha256('mine'), 'p', '', 0)`)).toBe('42501')
  const { maxKeys } = TIER_LIMITS.free
  for (let number = 0; number < maxKeys; number++) expect(await ask('api', issue(`${number}`))).toHaveLength(1)
  expect(await ask('api', issue('more'))).toEqual([])
})

test('the login of the API orders packs at their price, five at a time, and that of the gateway none', async () => {
  const begin = (pack: string) => `SELECT * FROM begin_invoice('${victim}', 'btcpay', '${pack}', NULL, NULL, 60)`
  expect(await ask('gateway', begin('pro_monthly'))).toBe('42501')
  // No such pack.
  expect(await ask('api', begin('mine'))).toBe('P0002')
  for (let number = 0; number < 5; number++)
    expect(await ask('api', begin('pro_monthly'))).toMatchObject([{ outcome: 'begun' }])
  expect(await ask('api', begin('pro_monthly'))).toMatchObject([{ outcome: 'too_many_unpaid' }])
  const orders = 'SELECT DISTINCT pack, price_usd, credits, tier, state FROM invoices'
  const expected = { pack: 'pro_monthly', price_usd: '17.00', credits: '50000', tier: 'pro', state: 'creating' }
  expect(await ask('api', orders)).toEqual([expected])
})

test('the login of the API writes events of sessions only', async () => {
  const note = (kind: string) => `SELECT note_session('${victim}', '${kind}', 'subject', '{}')`
  expect(await ask('api', note('session_started'))).toHaveLength(1)
  for (const kind of ['tier_changed', 'key_made', 'review_resolved', 'account_erased'])
    expect(await ask('api', note(kind)), kind).toBe('42501')
  expect(await ask('gateway', note('session_started'))).toBe('42501')
})
