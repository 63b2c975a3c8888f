import type { Stack } from '@bookreel/stack/start-stack'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { createClient } from '@redis/client'
import pg from 'pg'

/** Removes all data that a test file left in the engines, and closes its open connections. */
export async function emptyStack(stack: Stack): Promise<void> {
  await Promise.all([emptyClickHouse(stack), emptyNats(stack), emptyPostgres(stack), emptyRedis(stack)])
}

async function emptyClickHouse(stack: Stack): Promise<void> {
  const database = stack.variable('CLICKHOUSE_DATABASE')
  for (const query of [`DROP DATABASE IF EXISTS ${database} SYNC`, `CREATE DATABASE ${database} ENGINE = Atomic`]) {
    const answer = await fetch(stack.variable('CLICKHOUSE_URL'), {
      method: 'POST',
      body: query,
      headers: {
        'X-ClickHouse-User': stack.variable('CLICKHOUSE_USER'),
        'X-ClickHouse-Key': stack.variable('CLICKHOUSE_PASSWORD'),
      },
    })
    if (!answer.ok) throw new Error(`ClickHouse answered ${answer.status} to ${query}: ${await answer.text()}`)
    await answer.text()
  }
}

async function emptyNats(stack: Stack): Promise<void> {
  const connection = await connect({
    servers: stack.variable('NATS_URL'),
    user: stack.variable('NATS_USER'),
    pass: stack.variable('NATS_PASSWORD'),
  })
  try {
    const { streams } = await jetstreamManager(connection)
    const names: string[] = []
    for await (const { config } of streams.list()) names.push(config.name)
    for (const name of names) await streams.delete(name)
  } finally {
    await connection.close()
  }
}

async function emptyPostgres(stack: Stack): Promise<void> {
  const url = new URL(stack.variable('DATABASE_URL'))
  const database = url.pathname.slice(1)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${database}`)
  } finally {
    await client.end()
  }
}

async function emptyRedis(stack: Stack): Promise<void> {
  const client = createClient({ url: stack.variable('REDIS_URL'), socket: { reconnectStrategy: false } })
  // A command in progress is rejected; without a listener the event would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    for (const type of ['normal', 'pubsub']) await client.sendCommand(['CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes'])
    await client.sendCommand(['FLUSHALL', 'SYNC'])
  } finally {
    client.destroy()
  }
}
