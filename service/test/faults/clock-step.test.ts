import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { valuesOf } from '../clickhouse/open-clickhouse.ts'
import { CaptureProcess } from './capture-process.ts'
import { type LiveBatch, listenToBatches } from './live-batches.ts'
import { openRecordScene, type RecordScene } from './record-scene.ts'
import { report } from './report.ts'
import { archivedAccount, SOUND } from './stored-account.ts'

const HOUR_MS = 3_600_000
const TICK_MS = 250
const SHARDS = 2
const closing = new AsyncDisposableStack()
let stack: Stack
let scene: RecordScene
let heard: LiveBatch[]

beforeAll(async () => {
  stack = closing.use(await borrowStack({ engines: ['nats', 'clickhouse'] }))
  scene = closing.use(await openRecordScene({ nats: stack, clickhouse: stack }, { maxBytes: 100_000_000 }))
  heard = await listenToBatches(scene.bus.connection)
})
afterAll(() => closing.disposeAsync())

test('a wall clock that is set an hour off, while recording or between two recorders, never bends the slots', {
  timeout: 90_000,
}, async () => {
  const recorder = await startProcess(0)
  await untilTicks(recorder, 4)
  for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
    recorder.stepWall(aheadMs)
    const stepSeconds = async () => Math.round((await recorder.metric('capture_wall_clock_step_seconds')) ?? Number.NaN)
    await expect.poll(stepSeconds, { timeout: 60_000 }).toBe(aheadMs / 1_000)
    await untilTicks(recorder, 4)
  }
  const ticks = ticksOfFirstShard()
  const [firstTick = 0, lastTick = 0] = [ticks.at(0), ticks.at(-1)]
  expect(ticks).toEqual([...new Set(ticks)].sort((one, other) => one - other))
  // A tick that a busy machine could not keep is left out; a bent clock would leave out thousands.
  expect(ticks.length).toBeGreaterThan(0.8 * ((lastTick - firstTick) / TICK_MS + 1))
  for (const { batch, arrivedAtMs } of heard) expect(Math.abs(arrivedAtMs - batch.tickAtMs)).toBeLessThan(60_000)

  await recorder.kill()
  const last = newestSlots()
  const heardBefore = heard.length
  const setBack = await startProcess(-HOUR_MS)
  await untilTicks(setBack, 4)
  const [tickBefore, tickAfter] = [heard[heardBefore - 1]?.batch.tickAtMs ?? 0, heard[heardBefore]?.batch.tickAtMs ?? 0]
  report('set back by an hour: ms from the last tick before the restart to the first after it', tickAfter - tickBefore)
  for (const { marketId, slot } of heard.slice(heardBefore).flatMap(({ batch }) => batch.index()))
    expect(slot).toBeGreaterThan(last.get(marketId) ?? 0)
  expect(await setBack.metric('capture_wall_clock_step_seconds')).toBeLessThan(-3_590)

  await setBack.kill()
  const setAhead = await startProcess(HOUR_MS)
  await untilTicks(setAhead, 4)
  await setAhead[Symbol.asyncDispose]()

  const account = await archivedAccount(scene)
  expect(account).toMatchObject(SOUND)
  const hours = "SELECT cause FROM gaps WHERE kind = 'missing' AND (to_slot - from_slot) * interval_ms > 3500000"
  expect(new Set(await valuesOf(scene.client, hours))).toEqual(new Set(['capturer_down']))
})

async function startProcess(wallAheadMs: number): Promise<CaptureProcess> {
  const { simulator, emissionLog } = scene
  return closing.use(await CaptureProcess.start({ stack, simulator, shards: SHARDS, emissionLog, wallAheadMs }))
}

async function untilTicks(recorder: CaptureProcess, count: number): Promise<void> {
  await expect.poll(() => recorder.said('"records shard"'), { timeout: 60_000 }).toBe(SHARDS)
  const from = heard.length
  const withRows = () => heard.slice(from).filter(({ rowCount }) => rowCount > 0).length
  await expect.poll(withRows, { timeout: 60_000 }).toBeGreaterThanOrEqual(count * SHARDS)
}

function ticksOfFirstShard(): number[] {
  return heard.filter(({ batch }) => batch.shard === 0).map(({ batch }) => batch.tickAtMs)
}

function newestSlots(): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { marketId, slot } of heard.flatMap(({ batch }) => batch.index()))
    newest.set(marketId, Math.max(slot, newest.get(marketId) ?? 0))
  return newest
}
