import { PATIENT } from '@bookreel/testbed/service/store-limits'
import { Command } from 'commander'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Peppers } from '../../src/access/peppers.ts'
import { audit } from '../../src/commands/audit.ts'
import { addOperatorCommands } from '../../src/commands/operator.ts'
import { readConfig } from '../../src/config.ts'
import { People } from '../../src/stores/accounts/people.ts'
import { openAccess } from '../../src/wiring/open-access.ts'
import { AccessScene } from './access-scene.ts'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const environment = () => ({
  CLICKHOUSE_URL: 'http://127.0.0.1:1',
  CLICKHOUSE_USER: 'u',
  CLICKHOUSE_PASSWORD: 'p',
  NATS_URL: 'nats://127.0.0.1:1',
  ...scene.stack.variables,
})

/** The output of the command, run with the environment of the stack. */
async function bookreel(...args: string[]): Promise<string> {
  const lines: string[] = []
  const program = new Command()
  const tools = {
    name: 'bookreel-server',
    readConfig: async () => readConfig(environment()),
    print: (line: string) => lines.push(line),
  }
  addOperatorCommands(program, { ...tools, complain: () => {} })
  await program.parseAsync(args, { from: 'user' })
  return lines.join('\n')
}
const asJson = async (...args: string[]) => JSON.parse(await bookreel(...args, '--json'))

/** Every value of every table, as text; bytes as Latin letters. */
async function everythingStored(): Promise<string> {
  const { rows: columns } = await sql<{ table: string; column: string; type: string }>`
    SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`.execute(scene.database)
  const texts: string[] = []
  for (const { table, column, type } of columns) {
    const value = type === 'bytea' ? sql`encode(${sql.ref(column)}, 'escape')` : sql`${sql.ref(column)}::text`
    const { rows } = await sql<{ value: string | null }>`SELECT ${value} AS value FROM ${sql.table(table)}`.execute(
      scene.database,
    )
    texts.push(...rows.map((row) => `${table}.${column}: ${row.value}`))
  }
  return texts.join('\n')
}

/** Every string in Redis. */
async function everythingInRedis(): Promise<string> {
  const names = await scene.redis.ask((client) => client.keys('*'))
  const values = await scene.redis.ask((client) => Promise.all(names.map((name) => client.get(name).catch(() => null))))
  return JSON.stringify([names, values])
}

test('accounts erase removes all that names a person from PostgreSQL and Redis, revokes the keys, and the audit is clean', async () => {
  const secrets = ['mary@shelley.example', 'Mary Shelley', 'subject-of-mary', 'the monster']
  const [email = '', name = '', subject = '', label = ''] = secrets
  const { accountId } = await new People(scene.database).signIn({ issuer: 'https://id.example', subject, email, name })
  const access = openAccess(readConfig(environment()), () => {}, PATIENT)
  onTestFinished(() => access.close())
  await access.untilRedisReady()
  const { sessions } = access
  const token = await sessions.begin({ accountId, email, name, idToken: `token of ${email}` })
  await bookreel('accounts', 'grant', accountId, '7', '--reference', name, '--note', `for ${email}`)
  const { key } = await asJson('keys', 'create', accountId, '--label', label)
  const accessControl = scene.newAccessControl({ peppers: new Peppers(scene.stack.variable('KEY_PEPPER')) })
  const caller = await accessControl.authenticate(key, '10.0.0.1')
  const bought = { accountId, keyId: caller.keyId, credits: 5, fingerprint: 'f', endpoint: 'e', requestId: email }
  expect(await scene.ledger.charge({ ...bought, idem: `client:${email}` })).toMatchObject({ outcome: 'charged' })
  await sql`
    INSERT INTO invoices (account_id, provider, pack, price_usd, credits, months, expires_at, idempotency_key)
    VALUES (${accountId}, 'btcpay', 'credits_50k', 49, 50000, 0, now(), ${email})`.execute(scene.database)
  await sql`
    INSERT INTO payment_reviews (provider, subject, reason, resolved_at, resolution)
    SELECT provider, id, 'underpaid', now(), ${`asked ${name}`} FROM invoices WHERE account_id = ${accountId}
  `.execute(scene.database)
  const balance = (await scene.ledger.spendable(accountId))?.balance
  const stored = await everythingStored()
  for (const secret of secrets) expect(stored).toContain(secret)
  expect(await everythingInRedis()).toContain(email)

  await expect(bookreel('accounts', 'erase', name, '--confirm', 'Mary')).rejects.toThrow(
    '--confirm must be Mary Shelley, the account to erase. Nothing was changed.',
  )
  const storedStill = await everythingStored()
  for (const secret of secrets) expect(storedStill).toContain(secret)
  // The key of the console is the second one.
  const erased = { id: accountId, keysRevoked: 2, sessionsEnded: 1 }
  expect(await asJson('accounts', 'erase', name, '--confirm', name)).toEqual(erased)

  const left = `${await everythingStored()}\n${await everythingInRedis()}`
  expect(left.split('\n').filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
  await expect(accessControl.admit(caller)).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(accessControl.authenticate(key, '10.0.0.1')).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(await sessions.find(token)).toBeUndefined()
  expect((await scene.ledger.spendable(accountId))?.balance).toBe(balance)
  const report = await audit({ DATABASE_URL: scene.stack.variable('DATABASE_URL') })
  expect(report.checks.filter(({ outcome }) => outcome === 'differs')).toEqual([])
  expect(await bookreel('accounts', 'events', accountId)).toContain('kind=account_erased')
  await expect(sql`UPDATE ledger SET note = 'x'`.execute(scene.database)).rejects.toThrow('append-only')
  await expect(sql`UPDATE events SET detail = '{}'`.execute(scene.database)).rejects.toThrow('append-only')

  const again = ['accounts', 'erase', accountId, '--confirm', accountId] as const
  expect(await asJson(...again)).toEqual({ id: accountId, keysRevoked: 0, sessionsEnded: 0 })
  const next = await new People(scene.database).signIn({ issuer: 'https://id.example', subject, email, name })
  expect(next).toMatchObject({ isFirst: true })
  expect(next.accountId).not.toBe(accountId)
})
