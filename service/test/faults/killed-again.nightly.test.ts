// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CaptureProcess } from './capture-process.ts'
import { checkArchivedRows, SOUND } from './check-stored-rows.ts'
import { openRecordScene, type RecordScene } from './record-scene.ts'

const SHARDS = 2
const KILLS = 3
/** Most of the simulated markets, also while windows end and others open. */
const SOME_MARKETS = 8
/** Longer than saving a shard's state takes, shorter than the interval of a slow market. */
const LIVES_FOR_MS = 1_300
const closing = new AsyncDisposableStack()
let stack: Stack
let scene: RecordScene

beforeAll(async () => {
  stack = closing.use(await borrowStack({ engines: ['nats', 'clickhouse'] }))
  scene = closing.use(await openRecordScene({ nats: stack, clickhouse: stack }, { maxBytes: 100_000_000 }))
})
afterAll(() => closing.disposeAsync())

async function startRecorder(): Promise<CaptureProcess> {
  const { simulator, emissionLog } = scene
  const recorder = closing.use(await CaptureProcess.start({ stack, simulator, shards: SHARDS, emissionLog }))
  await expect.poll(() => recorder.shardCount('shard lease acquired'), { timeout: 120_000, interval: 20 }).toBe(SHARDS)
  return recorder
}

async function untilRecording(recorder: CaptureProcess): Promise<void> {
  const trusted = async (): Promise<number> => (await recorder.metric('capture_markets_trusted')) ?? 0
  await expect.poll(trusted).toBeGreaterThan(SOME_MARKETS)
  // By then every market has rows that could be lost.
  await sleep(6_000)
}

test('recorders killed one after the other, before the next slot of slow markets, leave no slot without a row or a gap', {
  timeout: 300_000,
}, async () => {
  const first = await startRecorder()
  await untilRecording(first)
  await first.kill()
  for (let count = 1; count <= KILLS; count++) {
    const next = await startRecorder()
    await sleep(LIVES_FOR_MS)
    await next.kill()
  }
  const last = await startRecorder()
  await untilRecording(last)
  await last[Symbol.asyncDispose]()

  expect(await checkArchivedRows(scene)).toMatchObject(SOUND)
})
