// Nightly: it starts a pool of its own and kills engines in it.
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { migratePostgres } from '@bookreel/service/stores/engines/postgres-migrations'
import type { Stack } from '@bookreel/stack/start-stack'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { createClient } from '@redis/client'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { borrowStack } from '../src/stacks/borrow-stack.ts'
import { copyMigratedDatabase } from '../src/stacks/migrated-database.ts'
import { type PoolServer, startPoolServer } from '../src/stacks/pool-server.ts'

let pool: PoolServer
beforeAll(async () => {
  pool = await startPoolServer()
})
afterAll(() => pool?.[Symbol.asyncDispose]())

test('a returned stack is lent again, empty and with every engine running', async () => {
  const first = await borrowStack({ port: pool.port })
  await leaveSomething(first)
  expect(await contents(first)).toEqual({
    clickhouse: ['left'],
    nats: ['LEFT'],
    postgres: ['left_here'],
    redis: ['left'],
  })
  await first.engine('redis').kill()
  await first.engine('nats').pause()
  await first.stop()

  await using second = await borrowStack({ port: pool.port })
  expect(second.dir).toBe(first.dir)
  expect(await contents(second)).toEqual({ clickhouse: [], nats: [], postgres: [], redis: [] })
})

test('two borrowers at the same time have two stacks', async () => {
  const [one, other] = await Promise.all([borrowStack({ port: pool.port }), borrowStack({ port: pool.port })])
  await using _one = one
  await using _other = other
  expect(one.dir).not.toBe(other.dir)
  expect(one.variable('NATS_URL')).not.toBe(other.variable('NATS_URL'))
})

test('a borrower gets only the variables of the engines that it requested', async () => {
  await using stack = await borrowStack({ port: pool.port, engines: ['redis'] })
  expect(Object.keys(stack.variables)).toEqual(['REDIS_URL'])
  expect(() => stack.variable('NATS_URL')).toThrow('This stack has no NATS_URL')
})

test('a borrower after the first gets a copy of the migrated database, without what others left in it', async () => {
  const first = await borrowStack({ port: pool.port })
  await copyMigratedDatabase(first)
  const { postgres: migrated = [] } = await contents(first)
  expect(migrated).toContain('accounts')
  await leaveSomething(first)
  await first.stop()

  await using second = await borrowStack({ port: pool.port })
  expect(second.dir).toBe(first.dir)
  await copyMigratedDatabase(second)
  expect((await contents(second)).postgres).toEqual(migrated)
  await using database = openDatabase({ url: second.variable('DATABASE_URL') })
  expect(await migratePostgres(database)).toEqual([])
})

async function leaveSomething(stack: Stack): Promise<void> {
  await query(stack, 'CREATE TABLE left (id Int32) ENGINE = MergeTree ORDER BY id')
  await using nats = await natsOf(stack)
  await (await jetstreamManager(nats.connection)).streams.add({ name: 'LEFT', subjects: ['left.>'] })
  await using postgres = await postgresOf(stack)
  await postgres.client.query('CREATE TABLE left_here (id int)')
  await using redis = await redisOf(stack)
  await redis.client.set('left', 'here')
}

async function contents(stack: Stack): Promise<Record<string, string[]>> {
  await using nats = await natsOf(stack)
  const streams: string[] = []
  for await (const { config } of (await jetstreamManager(nats.connection)).streams.list()) streams.push(config.name)
  await using postgres = await postgresOf(stack)
  const tables = await postgres.client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
  await using redis = await redisOf(stack)
  return {
    clickhouse: (await query(stack, 'SHOW TABLES')).split('\n').filter(Boolean),
    nats: streams,
    postgres: tables.rows.map(({ tablename }) => tablename),
    redis: await redis.client.keys('*'),
  }
}

async function query(stack: Stack, sql: string): Promise<string> {
  const url = new URL(stack.variable('CLICKHOUSE_URL'))
  url.searchParams.set('database', stack.variable('CLICKHOUSE_DATABASE'))
  const user = stack.variable('CLICKHOUSE_USER')
  const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': stack.variable('CLICKHOUSE_PASSWORD') }
  const answer = await fetch(url, { method: 'POST', body: sql, headers })
  return answer.text()
}

async function natsOf(stack: Stack) {
  const [servers, user, pass] = ['NATS_URL', 'NATS_USER', 'NATS_PASSWORD'].map((name) => stack.variable(name))
  const connection = await connect({ servers: servers ?? '', user: user ?? '', pass: pass ?? '' })
  return { connection, [Symbol.asyncDispose]: () => connection.close() }
}

async function postgresOf(stack: Stack) {
  const client = new pg.Client({ connectionString: stack.variable('DATABASE_URL') })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

async function redisOf(stack: Stack) {
  const client = await createClient({ url: stack.variable('REDIS_URL') }).connect()
  return { client, [Symbol.asyncDispose]: () => client.close() }
}
