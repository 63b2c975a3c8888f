import { spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isHealthy, stackStatus } from '../src/stack-status.ts'
import { type Stack, startStack } from '../src/start-stack.ts'
import { clickhouseClient, natsClient, postgresClient, redisClient, rowsOf } from './clients.ts'
import { eventually, listeningAddresses, portsOf } from './traces.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.stop())

test('all four engines are healthy once the start has returned', async () => {
  const status = await stackStatus(stack.dir)
  expect(status.engines.map(({ id, health }) => `${id} ${health}`)).toEqual([
    'clickhouse healthy',
    'nats healthy',
    'postgres healthy',
    'redis healthy',
  ])
  expect(isHealthy(status)).toBe(true)
})

test('two processes use ClickHouse 26 at the same time with the standard client', async () => {
  const login = ['URL', 'USER', 'PASSWORD'].map((name) => stack.variable(`CLICKHOUSE_${name}`))
  const program = fileURLToPath(new URL('./ask-clickhouse.ts', import.meta.url))
  const askers = [1, 2].map(() => spawn(process.execPath, [program, ...login], { stdio: ['pipe', 'pipe', 'inherit'] }))
  const answers = Promise.all(askers.map(({ stdout }) => text(stdout)))
  const client = clickhouseClient(stack)
  const running =
    "SELECT count() AS queries FROM system.processes WHERE query LIKE '%sleep(1)%' AND query NOT LIKE '%LIKE%'"
  const atOnce = await eventually(
    () => rowsOf<{ queries: string }>(client, running),
    ([row]) => Number(row?.queries) === 2,
  )
  expect(atOnce).toHaveLength(1)
  for (const { stdin } of askers) stdin.end()
  for (const version of await answers) expect(version).toMatch(/^26\./)
  await client.close()
})

test('the read-only user of ClickHouse can read its database, and nothing else', async () => {
  const writer = clickhouseClient(stack)
  const [user, password] = [stack.variable('CLICKHOUSE_READER_USER'), stack.variable('CLICKHOUSE_READER_PASSWORD')]
  const reader = clickhouseClient(stack, { user, password })
  await writer.command({ query: 'CREATE TABLE prices (price Int32) ENGINE = MergeTree ORDER BY price' })
  await writer.insert({ table: 'prices', values: [{ price: 7 }], format: 'JSONEachRow' })
  expect(await rowsOf(reader, 'SELECT price FROM prices')).toEqual([{ price: 7 }])
  await expect(reader.command({ query: 'INSERT INTO prices VALUES (8)' })).rejects.toThrow(/Not enough privileges/)
  await expect(reader.command({ query: 'DROP TABLE prices' })).rejects.toThrow(/Not enough privileges/)
  await expect(rowsOf(reader, "SELECT * FROM file('/etc/passwd', 'LineAsString')")).rejects.toThrow(/privileges/)
  expect(await rowsOf(writer, 'SELECT price FROM prices')).toEqual([{ price: 7 }])
  await Promise.all([writer.close(), reader.close()])
})

test('every engine refuses a wrong password', async () => {
  const client = clickhouseClient(stack, { password: 'wrong' })
  await expect(rowsOf(client, 'SELECT 1')).rejects.toThrow(/Authentication failed/)
  await client.close()
  await expect(natsClient(stack, 'wrong')).rejects.toThrow(/Authorization Violation/i)
  await expect(postgresClient(stack, 'wrong')).rejects.toThrow(/password authentication failed/)
  await expect(redisClient(stack, 'wrong')).rejects.toThrow(/WRONGPASS/)
})

test('the internal ClickHouse user without a password can do nothing over the network', async () => {
  const client = clickhouseClient(stack, { user: 'default', password: '' })
  for (const query of [
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "INSERT INTO FUNCTION file('/tmp/x', 'LineAsString', 'l String') VALUES ('x')",
    'SELECT * FROM system.processes',
    'CREATE TABLE bookreel.mine (id Int32) ENGINE = Memory',
    'SYSTEM STOP LISTEN HTTP',
  ]) {
    await expect(client.command({ query }), query).rejects.toThrow(/privileges|Quota/)
  }
  await client.close()
})

test('engines listen on the loopback address only', () => {
  const listening = listeningAddresses()
  for (const port of portsOf(stack)) {
    expect(listening.filter((address) => address.endsWith(`:${port}`))).toEqual([`127.0.0.1:${port}`])
  }
})

test('files with passwords are readable by their owner only', () => {
  const file = join(stack.dir, 'stack.env')
  const variables = Object.fromEntries(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  )
  expect(variables).toEqual(stack.variables)
  for (const name of ['.', 'stack.env', 'stack.json', 'nats/nats.conf', 'redis/redis.conf', 'clickhouse/users.xml']) {
    expect(statSync(join(stack.dir, name)).mode & 0o077, name).toBe(0)
  }
})
