import { type ClickHouseClient, ClickHouseLogLevel, createClient as createClickHouse } from '@clickhouse/client'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { createClient as createRedis } from '@redis/client'
import { Client as PostgresClient } from 'pg'
import type { Stack } from '../src/start-stack.ts'

export function clickhouseClient(stack: Stack, login: { user?: string; password?: string; url?: string } = {}) {
  return createClickHouse({
    url: login.url ?? stack.variable('CLICKHOUSE_URL'),
    username: login.user ?? stack.variable('CLICKHOUSE_USER'),
    password: login.password ?? stack.variable('CLICKHOUSE_PASSWORD'),
    database: stack.variable('CLICKHOUSE_DATABASE'),
    log: { level: ClickHouseLogLevel.OFF },
  })
}

export async function rowsOf<T>(client: ClickHouseClient, query: string): Promise<T[]> {
  const result = await client.query({ query, format: 'JSONEachRow' })
  return result.json<T>()
}

export function natsClient(stack: Stack, password = stack.variable('NATS_PASSWORD')): Promise<NatsConnection> {
  const servers = stack.variable('NATS_URL')
  return connect({ servers, user: stack.variable('NATS_USER'), pass: password, reconnect: false })
}

export async function postgresClient(stack: Stack, password?: string): Promise<PostgresClient> {
  const url = new URL(stack.variable('DATABASE_URL'))
  if (password !== undefined) url.password = password
  const client = new PostgresClient({ connectionString: url.href })
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function redisClient(stack: Stack, password?: string) {
  const url = new URL(stack.variable('REDIS_URL'))
  if (password !== undefined) url.password = password
  const client = createRedis({ url: url.href, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  return client
}
