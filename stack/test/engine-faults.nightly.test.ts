// Nightly: kills engines.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { USUAL_ENGINES } from '../src/engines/engine.ts'
import { stackStatus } from '../src/stack-status.ts'
import { type Stack, startStack } from '../src/start-stack.ts'
import { clickhouseClient, natsClient, postgresClient, redisClient, rowsOf } from './clients.ts'
import { portsOf } from './traces.ts'

type UsualEngine = (typeof USUAL_ENGINES)[number]

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.stop())

const kinds: UsualEngine[] = [...USUAL_ENGINES]

/** Stores one value and returns a function that reads it over a new connection. */
const keepers: Record<UsualEngine, () => Promise<() => Promise<unknown>>> = {
  async clickhouse() {
    const client = clickhouseClient(stack)
    await client.command({ query: 'CREATE TABLE kept (id Int32) ENGINE = MergeTree ORDER BY id' })
    await client.insert({ table: 'kept', values: [{ id: 1 }], format: 'JSONEachRow' })
    await client.close()
    return async () => {
      const again = clickhouseClient(stack)
      const rows = await rowsOf<{ id: number }>(again, 'SELECT id FROM kept')
      await again.close()
      return rows[0]?.id
    }
  },
  async nats() {
    const client = await natsClient(stack)
    await (await jetstreamManager(client)).streams.add({ name: 'kept', subjects: ['kept'] })
    const { seq } = await jetstream(client).publish('kept', 'x')
    await client.close()
    return async () => {
      const again = await natsClient(stack)
      const stream = await (await jetstreamManager(again)).streams.info('kept')
      await again.close()
      return stream.state.last_seq === seq ? 1 : 0
    }
  },
  async postgres() {
    const client = await postgresClient(stack)
    await client.query('CREATE TABLE kept AS SELECT 1 AS id')
    return async () => {
      const again = await postgresClient(stack)
      const { rows } = await again.query('SELECT id FROM kept')
      await again.end()
      return rows[0]?.id
    }
  },
  async redis() {
    const client = await redisClient(stack)
    await client.set('kept', '1')
    return async () => {
      const again = await redisClient(stack)
      const value = await again.get('kept')
      await again.close()
      return Number(value)
    }
  },
}

async function healthByEngine(): Promise<Record<string, string>> {
  const { engines } = await stackStatus(stack.dir)
  return Object.fromEntries(engines.map(({ id, health }) => [id, health]))
}

const allHealthy = Object.fromEntries(kinds.map((kind) => [kind, 'healthy']))

for (const kind of kinds) {
  test(`${kind} can be paused and killed alone, and restarts with its acknowledged data on the same port`, async () => {
    const ports = portsOf(stack)
    const others = kinds.filter((other) => other !== kind).map((other) => stack.engine(other).pid)
    const readAgain = await keepers[kind]()
    const engine = stack.engine(kind)
    const firstPid = engine.pid

    await engine.pause()
    expect(await healthByEngine()).toEqual({ ...allHealthy, [kind]: 'not answering' })
    await engine.resume()
    expect(await healthByEngine()).toEqual(allHealthy)
    expect(engine.pid).toBe(firstPid)

    await engine.kill()
    expect(() => engine.pid).toThrow('is not running')
    expect(await healthByEngine()).toEqual({ ...allHealthy, [kind]: 'down' })

    await engine.restart()
    expect(engine.pid).not.toBe(firstPid)
    expect(await readAgain()).toBe(1)
    expect(portsOf(stack)).toEqual(ports)
    expect(await healthByEngine()).toEqual(allHealthy)
    expect(kinds.filter((other) => other !== kind).map((other) => stack.engine(other).pid)).toEqual(others)
  })
}

test('an engine can be restarted while it is paused', async () => {
  const engine = stack.engine('nats')
  const firstPid = engine.pid
  await engine.pause()
  await engine.restart()
  expect(engine.pid).not.toBe(firstPid)
  expect(await healthByEngine()).toEqual(allHealthy)
})

test('a restart of a running engine stops it cleanly', async () => {
  const log = join(stack.dir, 'postgres/log')
  const recoveries = () => readFileSync(log, 'utf8').split('not properly shut down').length
  const before = recoveries()
  await stack.engine('postgres').restart()
  expect(recoveries()).toBe(before)
  await stack.engine('postgres').kill()
  await stack.engine('postgres').restart()
  expect(recoveries()).toBe(before + 1)
})
