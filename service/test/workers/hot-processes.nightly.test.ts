// Nightly: kills engines or processes and waits for their return.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Stack } from '@bookreel/stack/start-stack'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { until } from '@bookreel/testbed/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BatchWriter } from '../../src/bus/batch-writer.ts'
import { rowsSubject } from '../../src/bus/subjects.ts'
import { shardsOf } from '../../src/domain/shards.ts'
import { NewestRows } from '../../src/stores/books/newest-rows.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'
import { marketIdOf, rowOf } from '../newest-rows/snapshot-rows.ts'
import { untilReady } from '../newest-rows/until-ready.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SHARDS = shardsOf('polymarket', 6)
const MARKETS_EACH = 10
const INTERVAL_MS = 250
const ids = SHARDS.flatMap((shard) => marketsOf(shard))

let stack: Stack
let bus: Bus
let redis: RedisConnection
let newestRows: NewestRows
let slot = 1_000
const started: HotProcess[] = []

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats', 'redis'] })
  bus = await openBus(stack, { shardCounts: new Map([['polymarket', SHARDS.length]]), shardsPerStream: 1 })
  redis = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: 5_000 })
  newestRows = new NewestRows(redis)
  await untilReady(redis)
})
afterAll(async () => {
  for (const each of started) await each.kill()
  await redis?.close()
  await bus?.connection.close()
  await stack?.stop()
})

/** `bookreel-server run hot` in a process of its own. */
class HotProcess {
  readonly #child: ChildProcess
  readonly #metricsPort: number

  private constructor(child: ChildProcess, metricsPort: number) {
    this.#child = child
    this.#metricsPort = metricsPort
  }

  static async start(): Promise<HotProcess> {
    const port = await freePort()
    const env = {
      ...COMPILE_CACHE,
      ...stack.variables,
      // Required in every role's config, but not used by hot.
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      CLICKHOUSE_USER: 'nobody',
      CLICKHOUSE_PASSWORD: 'none',
      METRICS_PORT: String(port),
    }
    const child = spawn(process.execPath, [MAIN, 'run', 'hot'], { env, stdio: ['ignore', 'ignore', 'ignore'] })
    await once(child, 'spawn')
    const hot = new HotProcess(child, port)
    started.push(hot)
    return hot
  }

  async metric(name: string): Promise<number> {
    const text = await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    )
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ')))
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

function marketsOf(shard: string): string[] {
  return Array.from({ length: MARKETS_EACH }, (_, index) => marketIdOf(`${shard} ${index}`))
}

/** A row of every market. */
async function publishTick(): Promise<void> {
  slot += 1
  for (const shard of SHARDS) {
    const writer = new BatchWriter({ shard, epoch: slot })
    for (const marketId of marketsOf(shard))
      writer.addSnapshot(rowOf(marketId, slot).bytes, { marketId, slot, intervalMs: INTERVAL_MS })
    for (const { bytes } of writer.take(slot * INTERVAL_MS)) await bus.jetstream.publish(rowsSubject(shard), bytes)
  }
}

async function areNewest(): Promise<boolean> {
  const found = await newestRows.readMany(ids)
  return ids.every((id) => found.get(id)?.[0]?.slot === slot)
}

const groupsOf = (processes: readonly HotProcess[]) => Promise.all(processes.map((each) => each.metric('hot_groups')))
const stored = async (processes: readonly HotProcess[]): Promise<number> => {
  const counts = await Promise.all(processes.map((each) => each.metric('hot_rows_total{outcome="stored"}')))
  return counts.reduce((sum, count) => sum + count, 0)
}

test('hot processes share the groups of shards, each row is stored once, and a killed one is replaced', async () => {
  const first = await HotProcess.start()
  await until('one process has all groups', async () => (await first.metric('hot_groups')) === SHARDS.length)
  await publishTick()
  await until('its rows are stored', areNewest)

  const second = await HotProcess.start()
  const both = [first, second]
  await until('each has half of the groups', async () => (await groupsOf(both)).join() === '3,3')
  // The first still reads what it gave away, until the second surely does.
  await until('each row is stored once', async () => {
    const before = await stored(both)
    // One after the other: of rows that come faster than Redis stores them, only the newest are kept.
    for (let tick = 0; tick < 10; tick++) {
      await publishTick()
      await until('the newest rows are stored', areNewest)
    }
    await until('all are counted', async () => (await stored(both)) - before >= 10 * ids.length)
    return (await stored(both)) - before === 10 * ids.length
  })
  expect(await groupsOf(both)).toEqual([3, 3])
  for (const each of both) expect(await each.metric('hot_rows_total{outcome="dropped"}')).toBe(0)

  await first.kill()
  await until('the newest rows of all groups go on', async () => {
    await publishTick()
    return areNewest()
  })
  expect(await second.metric('hot_groups')).toBe(SHARDS.length)
}, 300_000)
