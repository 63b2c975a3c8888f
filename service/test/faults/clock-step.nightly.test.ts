// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ShardLease, ShardLeases } from '../../src/bus/shard-leases.ts'
import { shardsOf } from '../../src/domain/shards.ts'
import { valuesOf } from '../clickhouse/open-clickhouse.ts'
import { CaptureProcess } from './capture-process.ts'
import { checkArchivedRows, SOUND } from './check-stored-rows.ts'
import { type LiveBatch, listenToBatches } from './live-batches.ts'
import { openRecordScene, type RecordScene } from './record-scene.ts'
import { report } from './report.ts'

const HOUR_MS = 3_600_000
const TICK_MS = 250
const SHARDS = 2
const closing = new AsyncDisposableStack()
let stack: Stack
let scene: RecordScene
let batches: LiveBatch[]

beforeAll(async () => {
  stack = closing.use(await borrowStack({ engines: ['nats', 'clickhouse'] }))
  scene = closing.use(await openRecordScene({ nats: stack, clickhouse: stack }, { maxBytes: 100_000_000 }))
  batches = await listenToBatches(scene.bus.connection)
})
afterAll(() => closing.disposeAsync())

test('setting the wall clock by an hour, while recording or between two recorders, does not change the slots', {
  timeout: 300_000,
}, async () => {
  const recorder = await startProcess(0)
  await untilTicks(recorder, 4)
  for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
    recorder.stepWall(aheadMs)
    const stepSeconds = async () => Math.round((await recorder.metric('capture_wall_clock_step_seconds')) ?? Number.NaN)
    await expect.poll(stepSeconds).toBe(aheadMs / 1_000)
    await untilTicks(recorder, 4)
  }
  const ticks = ticksOfFirstShard()
  const [firstTick = 0, lastTick = 0] = [ticks.at(0), ticks.at(-1)]
  expect(ticks).toEqual([...new Set(ticks)].sort((one, other) => one - other))
  // A busy machine may skip many ticks; a changed clock would skip thousands.
  expect(ticks.length).toBeGreaterThan(0.1 * ((lastTick - firstTick) / TICK_MS + 1))
  for (const { batch, arrivedAtMs } of batches) expect(Math.abs(arrivedAtMs - batch.tickAtMs)).toBeLessThan(60_000)

  await recorder.kill()
  const last = newestSlots()
  const countBefore = batches.length
  const setBack = await startProcess(-HOUR_MS)
  await untilTicks(setBack, 4)
  const [tickBefore, tickAfter] = [
    batches[countBefore - 1]?.batch.tickAtMs ?? 0,
    batches[countBefore]?.batch.tickAtMs ?? 0,
  ]
  report('set back by an hour: ms from the last tick before the restart to the first after it', tickAfter - tickBefore)
  for (const { marketId, slot } of batches.slice(countBefore).flatMap(({ batch }) => batch.index()))
    expect(slot).toBeGreaterThan(last.get(marketId) ?? 0)
  expect(tickAfter - tickBefore).toBeLessThan(60_000)
  await expect.poll(() => setBack.metric('capture_wall_clock_step_seconds')).toBeLessThan(-3_590)

  await setBack.kill()
  const setAhead = await startProcess(HOUR_MS)
  await untilTicks(setAhead, 4)
  await setAhead[Symbol.asyncDispose]()

  const check = await checkArchivedRows(scene)
  expect(check).toMatchObject(SOUND)
  const hours = "SELECT cause FROM gaps WHERE kind = 'missing' AND (to_slot - from_slot) * interval_ms > 3500000"
  expect(await valuesOf(scene.client, hours)).toEqual([])
})

test('a shard whose last tick is an hour ahead is recorded with the right time, and the wrong rows are suspect', {
  timeout: 300_000,
}, async () => {
  const leases = await ShardLeases.open(scene.bus.jetstream, 'a recorder with a clock that was ahead')
  const startedAtMs = Date.now()
  for (const shard of shardsOf('polymarket', SHARDS)) {
    const { marketIds = [] } = (await leases.stateOf(shard)) ?? {}
    let lease: ShardLease | undefined
    const acquire = async () => {
      lease = await leases.acquire(shard)
      return lease?.shard
    }
    await expect.poll(acquire).toBe(shard)
    await lease?.saveState(startedAtMs + HOUR_MS, marketIds, {}, { sinceTickMs: startedAtMs + HOUR_MS - 60_000 })
    await lease?.release()
  }
  const countBefore = batches.length
  const recorder = await startProcess(0)
  await untilTicks(recorder, 4)
  await recorder[Symbol.asyncDispose]()
  for (const { batch } of batches.slice(countBefore)) expect(batch.tickAtMs).toBeLessThan(startedAtMs + HOUR_MS / 2)
  for (const shard of shardsOf('polymarket', SHARDS))
    expect((await leases.stateOf(shard))?.lastTickMs).toBeLessThan(startedAtMs + HOUR_MS / 2)
  const marked = `SELECT DISTINCT cause FROM gaps
    WHERE kind = 'suspect' AND to_slot * interval_ms > ${startedAtMs + HOUR_MS - 1_000}`
  await checkArchivedRows(scene)
  expect(await valuesOf(scene.client, marked)).toEqual(['clock_step'])
})

async function startProcess(wallAheadMs: number): Promise<CaptureProcess> {
  const { simulator, emissionLog } = scene
  return closing.use(await CaptureProcess.start({ stack, simulator, shards: SHARDS, emissionLog, wallAheadMs }))
}

async function untilTicks(recorder: CaptureProcess, count: number): Promise<void> {
  await expect.poll(() => recorder.shardCount('shard lease acquired')).toBe(SHARDS)
  const from = batches.length
  const withRows = () => batches.slice(from).filter(({ rowCount }) => rowCount > 0).length
  await expect.poll(withRows).toBeGreaterThanOrEqual(count * SHARDS)
}

function ticksOfFirstShard(): number[] {
  return batches.filter(({ batch }) => batch.shard === 'polymarket.0').map(({ batch }) => batch.tickAtMs)
}

function newestSlots(): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { marketId, slot } of batches.flatMap(({ batch }) => batch.index()))
    newest.set(marketId, Math.max(slot, newest.get(marketId) ?? 0))
  return newest
}
