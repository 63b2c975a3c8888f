// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reshard } from '../../src/bus/reshard.ts'
import { CaptureProcess } from './capture-process.ts'
import { checkArchivedRows, SOUND } from './check-stored-rows.ts'
import { openRecordScene, type RecordScene } from './record-scene.ts'

const SOME_MARKETS = 8
const closing = new AsyncDisposableStack()
let stack: Stack
let scene: RecordScene

beforeAll(async () => {
  stack = closing.use(await borrowStack({ engines: ['nats', 'clickhouse'] }))
  scene = closing.use(await openRecordScene({ nats: stack, clickhouse: stack }, { maxBytes: 100_000_000 }))
})
afterAll(() => closing.disposeAsync())

/** Records for some seconds, and stops as an operator stops it. */
async function record(shards: number): Promise<void> {
  const { simulator, emissionLog } = scene
  await using recorder = await CaptureProcess.start({ stack, simulator, shards, emissionLog })
  await expect.poll(() => recorder.shardCount('shard lease acquired')).toBe(shards)
  const trusted = async (): Promise<number> => (await recorder.metric('capture_markets_trusted')) ?? 0
  await expect.poll(trusted).toBeGreaterThan(SOME_MARKETS)
  // By then every market has rows.
  await sleep(6_000)
}

test('after another number of shards, every slot of every market has a row or a gap', {
  timeout: 300_000,
}, async () => {
  await record(2)
  const stopArchive = await scene.startArchive()
  const { markets } = await reshard(scene.bus.jetstream, { group: 'polymarket', count: 5 })
  expect(markets).toBeGreaterThan(SOME_MARKETS)
  await stopArchive()
  await record(5)
  const check = await checkArchivedRows(scene)
  expect(check).toMatchObject(SOUND)
  expect(check.missingBy.capturer_down).toBeGreaterThan(0)
})

test('a recorder with the former number refuses to start', async () => {
  const { simulator, emissionLog } = scene
  await using recorder = await CaptureProcess.start({ stack, simulator, shards: 2, emissionLog })
  await expect.poll(() => recorder.isAlive).toBe(false)
  expect(recorder.log).toContain('POLYMARKET_SHARDS is 2, but this installation has 5 shards of polymarket.')
})
