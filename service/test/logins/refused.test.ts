import { ClickHouseLogLevel, createClient as createClickHouse } from '@clickhouse/client'
import type { NatsConnection } from '@nats-io/transport-node'
import { createClient as createRedis } from '@redis/client'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOGIN_NAMES, type LoginName } from '../../src/domain/grants/login-names.ts'
import { OWNER_FUNCTIONS, OWNER_TABLES, TABLE_GRANTS } from '../../src/domain/grants/postgres-grants.ts'
import { TIER_LIMITS } from '../../src/domain/tier.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { openBus } from '../../src/wiring/engines.ts'
import { RestrictedScene } from './restricted-scene.ts'

let scene: RestrictedScene

beforeAll(async () => {
  scene = await RestrictedScene.open()
}, 300_000)
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

/** The error code of PostgreSQL for each statement; 42501 is a missing privilege. */
async function postgresCodes(name: LoginName, statements: readonly string[]): Promise<(string | undefined)[]> {
  const client = new pg.Client({ connectionString: scene.configOf(name).DATABASE_URL })
  await client.connect()
  try {
    const codes: (string | undefined)[] = []
    for (const statement of statements)
      codes.push(
        await client.query(statement).then(
          () => 'done',
          (error: pg.DatabaseError) => error.code,
        ),
      )
    return codes
  } finally {
    await client.end()
  }
}

const MONEY_IS_HISTORY = [
  'UPDATE ledger SET delta = delta + 1',
  'DELETE FROM ledger',
  'TRUNCATE ledger',
  "UPDATE events SET kind = 'account_made'",
  'DELETE FROM events',
  "UPDATE payment_events SET body = ''",
  'DELETE FROM payment_events',
  'UPDATE accounts SET balance = balance + 1',
  'DROP TABLE ledger',
  'ALTER TABLE ledger DISABLE TRIGGER ALL',
  'CREATE TABLE mine (id int)',
  'CREATE TEMPORARY TABLE mine (id int)',
  "SELECT pg_read_file('/etc/passwd')",
]

test.each(LOGIN_NAMES)('PostgreSQL refuses that %s changes the ledger, events or callbacks', async (name) => {
  const codes = await postgresCodes(name, MONEY_IS_HISTORY)
  expect(codes).toEqual(MONEY_IS_HISTORY.map(() => '42501'))
})

test('PostgreSQL refuses the API credits, tiers and the data of people', async () => {
  const statements = [
    "INSERT INTO ledger (account_id, delta, kind, idem) SELECT id, 1, 'grant', 'mine' FROM accounts",
    "UPDATE accounts SET tier = 'enterprise'",
    'UPDATE accounts SET tier_expires_at = NULL',
    'UPDATE api_keys SET credit_limit = NULL',
    "UPDATE api_keys SET account_id = gen_random_uuid(), scopes = '{}'",
    'SELECT * FROM people',
    "UPDATE payment_reviews SET resolution = 'done'",
    "SELECT settle_grants('00000000-0000-0000-0000-000000000000', 1000000)",
    "SELECT add_paid_months('00000000-0000-0000-0000-000000000000', 0)",
    'SELECT * FROM events',
    'UPDATE usage_days SET credits = 0',
  ]
  expect(await postgresCodes('api', statements)).toEqual(statements.map(() => '42501'))
})

test('the API cannot name the free credits of an account: the amount of the tier is the most', async () => {
  const client = new pg.Client({ connectionString: scene.configOf('api').DATABASE_URL })
  await client.connect()
  try {
    const most = 1_000_000_000
    const signedIn = await client.query("SELECT * FROM sign_in_person('i', 'thief', NULL, NULL, 'thief', $1)", [most])
    const { of_account: account } = signedIn.rows[0]
    const spendable = await client.query('SELECT * FROM spendable_credits($1, NULL, $2)', [account, most])
    expect(Number(spendable.rows[0].balance_left)).toBe(TIER_LIMITS.free.creditsPerMonth)
    expect(await postgresCodes('api', [`SELECT book_grants('${account}', ${most})`])).toEqual(['42501'])
    expect(await postgresCodes('api', ['UPDATE tiers SET monthly_credits = 1000000'])).toEqual(['42501'])
  } finally {
    await client.end()
  }
})

test('only the operator may erase an account', async () => {
  const erase = "SELECT erase_account('00000000-0000-0000-0000-000000000000')"
  // The operator gets further, to an account that does not exist.
  for (const name of LOGIN_NAMES)
    expect(await postgresCodes(name, [erase]), name).toEqual([name === 'operator' ? '23503' : '42501'])
})

test('PostgreSQL refuses the roles that record everything about accounts, and the role payments the names of people', async () => {
  const statements = ['accounts', 'api_keys', 'ledger', 'people', 'invoices'].map((table) => `SELECT * FROM ${table}`)
  for (const name of ['recorder', 'prober', 'files'] as const)
    expect(await postgresCodes(name, statements)).toEqual(statements.map(() => '42501'))
  const ofPeople = ['SELECT name FROM accounts', 'SELECT * FROM people', 'SELECT * FROM api_keys']
  expect(await postgresCodes('payments', ofPeople)).toEqual(ofPeople.map(() => '42501'))
})

test('every table of PostgreSQL is granted to a role or listed as the owner’s, and every function of the list exists', async () => {
  const database = openDatabase({ url: scene.stack.variable('DATABASE_URL') })
  try {
    const tables = await sql<{ name: string }>`
      SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT relispartition
        AND (relkind IN ('r', 'p', 'v') OR relname = 'ledger_ids')
    `.execute(database)
    const granted = Object.values(TABLE_GRANTS).flatMap((grants) => Object.keys(grants))
    expect([...new Set([...granted, ...OWNER_TABLES])].sort()).toEqual(tables.rows.map(({ name }) => name).sort())
    const routines = await sql<{ name: string }>`
      SELECT DISTINCT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef
    `.execute(database)
    expect(routines.rows.map(({ name }) => name).sort()).toEqual(Object.keys(OWNER_FUNCTIONS).sort())
  } finally {
    await database.destroy()
  }
})

async function clickHouseErrors(name: LoginName, queries: readonly string[]): Promise<string[]> {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = scene.configOf(name)
  const client = createClickHouse({
    url,
    username,
    password,
    database: 'bookreel',
    log: { level: ClickHouseLogLevel.OFF },
  })
  try {
    const errors: string[] = []
    for (const query of queries)
      errors.push(
        await client.command({ query }).then(
          () => 'done',
          (error: Error & { type?: string }) => error.type ?? error.message,
        ),
      )
    return errors
  } finally {
    await client.close()
  }
}

test('ClickHouse refuses that the API writes, or raises the bounds of a query', async () => {
  const writes = [
    'INSERT INTO trades SELECT * FROM trades',
    'ALTER TABLE snapshots DELETE WHERE 1',
    'DROP TABLE snapshots',
    'TRUNCATE TABLE gaps',
    'CREATE TABLE mine (id Int32) ENGINE = Memory',
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    'SELECT * FROM applied_migrations',
    'SYSTEM SHUTDOWN',
  ]
  for (const name of ['api', 'gateway'] as const)
    for (const [index, error] of (await clickHouseErrors(name, writes)).entries())
      expect(['ACCESS_DENIED', 'READONLY'], writes[index]).toContain(error)
  const raised = ['max_execution_time', 'max_memory_usage', 'max_result_rows'].flatMap((setting) => [
    `SELECT 1 SETTINGS ${setting} = 0`,
    `SELECT 1 SETTINGS ${setting} = 9000000000`,
  ])
  const errors = await clickHouseErrors('api', [...raised, 'SELECT 1 SETTINGS readonly = 0', 'SELECT 1'])
  expect(errors).toEqual([
    ...raised.map(() => 'SETTING_CONSTRAINT_VIOLATION'),
    expect.not.stringMatching('done'),
    'done',
  ])
})

test('ClickHouse refuses the reader account of a stack to raise the bounds of a query', async () => {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_READER_USER = '', CLICKHOUSE_READER_PASSWORD = '' } = scene.stack.variables
  for (const setting of ['max_execution_time', 'max_memory_usage', 'max_result_rows']) {
    const answer = await fetch(`${url}?${setting}=0`, {
      method: 'POST',
      body: 'SELECT 1',
      headers: { 'x-clickhouse-user': CLICKHOUSE_READER_USER, 'x-clickhouse-key': CLICKHOUSE_READER_PASSWORD },
    })
    expect(await answer.text()).toContain('SETTING_CONSTRAINT_VIOLATION')
  }
})

test('ClickHouse lets the archive add rows, and neither change nor remove them', async () => {
  const queries = [
    'ALTER TABLE snapshots DELETE WHERE 1',
    'TRUNCATE TABLE trades',
    'DROP TABLE gaps',
    'OPTIMIZE TABLE gaps',
  ]
  for (const name of ['archive', 'recorder'] as const)
    expect(await clickHouseErrors(name, queries)).toEqual(queries.map(() => 'ACCESS_DENIED'))
  // A correction removes the rows that it replaces, so the operator may delete rows, but not whole tables.
  const others = queries.slice(1)
  expect(await clickHouseErrors('operator', others)).toEqual(others.map(() => 'ACCESS_DENIED'))
  expect(await clickHouseErrors('archive', ['SELECT * FROM market_facts'])).toEqual(['ACCESS_DENIED'])
  expect(await clickHouseErrors('payments', ['SELECT 1'])).toEqual(['AUTHENTICATION_FAILED'])
})

async function redisErrors(name: LoginName, commands: readonly string[]): Promise<string[]> {
  const client = createRedis({ url: scene.configOf(name).REDIS_URL, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await Promise.all(
      commands.map((command) =>
        client.sendCommand(command.split(' ')).then(
          () => 'done',
          (error: Error) => error.message.split(' ')[0] ?? '',
        ),
      ),
    )
  } finally {
    client.destroy()
  }
}

test('Redis refuses commands about all keys or the server, and keys of other roles', async () => {
  const commands = [
    'FLUSHALL',
    'FLUSHDB',
    'KEYS *',
    'SCAN 0',
    'RANDOMKEY',
    'DBSIZE',
    'CONFIG GET *',
    'ACL LIST',
    'CLIENT LIST',
    'MONITOR',
    'SAVE',
    'SHUTDOWN NOSAVE',
    'SCRIPT FLUSH',
    'CLUSTER RESET',
    'CLUSTER NODES',
    'SWAPDB 0 1',
    'MIGRATE 127.0.0.1 1 k 0 1',
    'GET anything',
  ]
  for (const name of ['hot', 'api', 'gateway', 'operator', 'recorder'] as const)
    expect(await redisErrors(name, commands), name).toEqual(commands.map(() => 'NOPERM'))
  // The server itself refuses this one before it looks at the user.
  expect(await redisErrors('api', ['DEBUG SLEEP 0'])).not.toEqual(['done'])
  expect(await redisErrors('hot', ['GET session:x', 'SET rate:x 1'])).toEqual(['NOPERM', 'NOPERM'])
  expect(await redisErrors('api', ['SET newest:x 1', 'DEL newest:x'])).toEqual(['NOPERM', 'NOPERM'])
  expect(await redisErrors('gateway', ['GET session:x', 'SET sessions-of:x 1', 'GET session-owner:x'])).toEqual([
    'NOPERM',
    'NOPERM',
    'NOPERM',
  ])
  expect(
    await redisErrors('gateway', ['GETDEL stream-ticket:x', 'SET console-slot:x 1', 'DEL console-slot:x']),
  ).toEqual(['done', 'done', 'done'])
  expect(await redisErrors('api', ['SET stream-ticket:x 1', 'DEL stream-ticket:x', 'GET console-slot:x'])).toEqual([
    'done',
    'done',
    'done',
  ])
  await expect(redisErrors('payments', ['PING'])).rejects.toThrow('WRONGPASS')
})

/** Whether NATS refuses it: a refused publish has no answer, so the server's complaint is awaited. */
async function isRefusedByNats(name: LoginName, act: (connection: NatsConnection) => void): Promise<boolean> {
  const connection = await openBus(scene.configOf(name), 'test')
  try {
    const complaint = (async () => {
      for await (const status of connection.status()) if (status.type === 'error') return true
      return false
    })()
    act(connection)
    await connection.flush()
    // The server answers in order: after this answer its complaint has arrived.
    await connection.flush()
    return await Promise.race([complaint, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])
  } finally {
    await connection.close()
  }
}

test('NATS refuses subjects of other roles', async () => {
  const publishes: [LoginName, string][] = [
    ['hot', 'snap.polymarket.1'],
    ['api', 'snap.polymarket.1'],
    ['api', 'market.polymarket.resolved.0x1'],
    ['gateway', '$JS.API.STREAM.DELETE.rows'],
    ['archive', '$JS.API.STREAM.PURGE.rows'],
    ['capture', '$JS.API.STREAM.DELETE.rows'],
    ['catalogue', 'snap.polymarket.1'],
    ['prober', '$KV.shard-leases.shard.1'],
    ['payments', 'snap.polymarket.1'],
    ['gateway', '$KV.shard-states.count.polymarket'],
    // Their own consumers of the stream are granted; those of the role catalogue are not.
    ['api', '$JS.API.CONSUMER.MSG.NEXT.markets.catalogue'],
    ['api', '$JS.API.CONSUMER.DELETE.markets.catalogue'],
    ['api', '$JS.API.CONSUMER.CREATE.markets.catalogue'],
    ['gateway', '$JS.API.CONSUMER.MSG.NEXT.markets.facts'],
    ['gateway', '$JS.API.CONSUMER.DELETE.markets.facts'],
    ['api', '$JS.API.CONSUMER.CREATE.rows.mine'],
    ['api', '$JS.API.STREAM.MSG.GET.markets'],
  ]
  for (const [name, subject] of publishes)
    expect(await isRefusedByNats(name, (connection) => connection.publish(subject)), `${name} ${subject}`).toBe(true)
  const subscriptions: [LoginName, string][] = [
    ['api', '>'],
    ['api', '_INBOX.>'],
    ['prober', 'snap.*.*'],
    ['hot', '$KV.>'],
  ]
  for (const [name, subject] of subscriptions)
    expect(
      await isRefusedByNats(name, (connection) => void connection.subscribe(subject, { callback: () => {} })),
      `${name} ${subject}`,
    ).toBe(true)
  expect(await isRefusedByNats('capture', (connection) => connection.publish('snap.polymarket.999'))).toBe(false)
})
