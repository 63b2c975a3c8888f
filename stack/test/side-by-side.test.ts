import { jetstreamManager } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { startStack } from '../src/start-stack.ts'
import { clickhouseClient, natsClient, postgresClient, redisClient, rowsOf } from './clients.ts'
import { portsOf } from './traces.ts'

test('two stacks on one machine are isolated from each other', async () => {
  const [one, other] = await Promise.all([startStack(), startStack()])
  await using _one = one
  await using _other = other

  expect(portsOf(one).filter((port) => portsOf(other).includes(port))).toEqual([])
  const passwords = ['CLICKHOUSE_PASSWORD', 'CLICKHOUSE_READER_PASSWORD', 'NATS_PASSWORD', 'DATABASE_URL', 'REDIS_URL']
  for (const name of passwords) expect(one.variable(name), name).not.toBe(other.variable(name))
  const stranger = clickhouseClient(one, { password: other.variable('CLICKHOUSE_PASSWORD') })
  await expect(rowsOf(stranger, 'SELECT 1')).rejects.toThrow(/Authentication failed/)
  await expect(natsClient(one, other.variable('NATS_PASSWORD'))).rejects.toThrow(/Authorization Violation/i)

  const clickhouse = [clickhouseClient(one), clickhouseClient(other)] as const
  await clickhouse[0].command({ query: 'CREATE TABLE only_here (id Int32) ENGINE = MergeTree ORDER BY id' })
  expect(await rowsOf(clickhouse[0], 'SHOW TABLES')).toEqual([{ name: 'only_here' }])
  expect(await rowsOf(clickhouse[1], 'SHOW TABLES')).toEqual([])

  const postgres = [await postgresClient(one), await postgresClient(other)] as const
  await postgres[0].query('CREATE TABLE only_here (id int)')
  const tables = "SELECT count(*)::int AS tables FROM pg_tables WHERE tablename = 'only_here'"
  expect((await postgres[0].query(tables)).rows).toEqual([{ tables: 1 }])
  expect((await postgres[1].query(tables)).rows).toEqual([{ tables: 0 }])

  const redis = [await redisClient(one), await redisClient(other)] as const
  await redis[0].set('only', 'here')
  expect(await redis[1].get('only')).toBeNull()

  const nats = [await natsClient(one), await natsClient(other)] as const
  await (await jetstreamManager(nats[0])).streams.add({ name: 'only_here', subjects: ['only.>'] })
  expect((await (await jetstreamManager(nats[1])).getAccountInfo()).streams).toBe(0)

  await Promise.all([stranger, ...clickhouse, ...nats].map((client) => client.close()))
  await Promise.all([...postgres.map((client) => client.end()), ...redis.map((client) => client.close())])
})
