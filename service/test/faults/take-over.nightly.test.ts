// Nightly: kills or stops real processes and engines while a recorder runs in real time.
// Covers: service/src/capture/ service/src/bus/ service/src/workers/
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeBatch } from '../../src/bus/batch.ts'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { shardsOf } from '../../src/domain/shards.ts'
import { CaptureProcess } from './capture-process.ts'
import { checkArchivedRows, SOUND } from './check-stored-rows.ts'
import { type LiveBatch, listenToBatches } from './live-batches.ts'
import { openRecordScene, type RecordScene } from './record-scene.ts'
import { report } from './report.ts'

const SHARDS = 4
const EACH_SHARD = shardsOf('polymarket', SHARDS)
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

test('two recorders share the shards; each goes on for the other, suspended or killed, and no slot is missing', {
  timeout: 300_000,
}, async () => {
  const first = await startProcess()
  await expect.poll(() => first.shardCount('shard lease acquired')).toBe(SHARDS)
  const second = await startProcess()
  await expect.poll(() => second.shardCount('shard lease acquired')).toBe(SHARDS / 2)
  await expect.poll(() => first.shardCount('shard lease released')).toBe(SHARDS / 2)
  await untilStandingBy(first, second)

  const epochsBefore = epochsNow()
  const stoppedAtMs = Date.now()
  first.signal('SIGSTOP')
  const ofFirst = EACH_SHARD.filter((shard) => !second.holds(shard))
  await untilRowsAfter(epochsBefore, ofFirst)
  report(
    'first row of each shard after SIGSTOP, ms',
    firstRowsAfter(epochsBefore, ofFirst).map((atMs) => atMs - stoppedAtMs),
  )
  const countBefore = batches.length
  const epochsOfSecond = epochsNow()
  first.signal('SIGCONT')
  await expect.poll(() => first.shardCount('shard lost')).toBe(SHARDS / 2)
  await expect.poll(() => first.shardCount('shard lease acquired')).toBe(SHARDS + SHARDS / 2)
  // Subscribers receive also what the stream refuses: the suspended recorder must not even publish.
  const isLate = ({ batch: { shard, epoch, tickAtMs } }: LiveBatch): boolean =>
    epoch < (epochsOfSecond.get(shard) ?? 0) && tickAtMs > stoppedAtMs
  const late = batches.slice(countBefore).filter(isLate)
  expect(late.map(({ batch: { shard, epoch, n } }) => `${shard}:${epoch}:${n}`)).toEqual([])
  expect(await lateEpochs()).toEqual([])

  await untilStandingBy(first, second)
  const epochsBeforeKill = epochsNow()
  const ofSecond = EACH_SHARD.filter((shard) => second.holds(shard))
  expect(ofSecond).toHaveLength(SHARDS / 2)
  const killedAtMs = await second.kill()
  await untilRowsAfter(epochsBeforeKill, ofSecond)
  const afterKillMs = firstRowsAfter(epochsBeforeKill, ofSecond).map((atMs) => atMs - killedAtMs)
  report('first row of each shard after kill -9, ms', afterKillMs)
  expect(Math.max(...afterKillMs)).toBeLessThan(30_000)

  await first[Symbol.asyncDispose]()
  const check = await checkArchivedRows(scene)
  expect(check).toMatchObject(SOUND)
  // A busy machine may miss a slot of its own.
  const { late_slot: _busy, not_listed_yet: _atFirst, ...others } = check.missingBy
  expect(others).toEqual({})
})

/** Each follows the shards of the other with proved books, and has retained the last seconds of them. */
async function untilStandingBy(...recorders: readonly CaptureProcess[]): Promise<void> {
  for (const recorder of recorders)
    await expect.poll(() => recorder.metric('capture_markets_trusted')).toBeGreaterThan(15)
  const from = Date.now()
  await expect.poll(() => batches.some(({ batch }) => batch.tickAtMs > from + 10_000)).toBe(true)
}

async function startProcess(): Promise<CaptureProcess> {
  const { simulator, emissionLog } = scene
  return closing.use(await CaptureProcess.start({ stack, simulator, shards: SHARDS, emissionLog }))
}

/** The newest epoch of each shard. */
function epochsNow(): Map<string, number> {
  const newestOf = (shard: string): number =>
    Math.max(0, ...batches.filter(({ batch }) => batch.shard === shard).map(({ batch }) => batch.epoch))
  return new Map(EACH_SHARD.map((shard) => [shard, newestOf(shard)]))
}

async function untilRowsAfter(epochs: ReadonlyMap<string, number>, shards: readonly string[]): Promise<void> {
  const poll = { timeout: 120_000, interval: 20 }
  await expect.poll(() => firstRowsAfter(epochs, shards).length, poll).toBe(shards.length)
}

/** When the first row of a later epoch arrived in each of these shards. */
function firstRowsAfter(epochs: ReadonlyMap<string, number>, shards: readonly string[]): number[] {
  return shards.flatMap((shard) => {
    const isLater = ({ batch, rowCount }: LiveBatch) => {
      return batch.shard === shard && batch.epoch > (epochs.get(shard) ?? 0) && rowCount > 0
    }
    const first = batches.find(isLater)
    return first === undefined ? [] : [first.arrivedAtMs]
  })
}

/** Messages that stand in the stream behind one of a later epoch of their shard. No archive has emptied it yet. */
async function lateEpochs(): Promise<string[]> {
  const { state } = await scene.bus.manager.streams.info(rowStreamOf('polymarket.0'))
  const newest = new Map<string, number>()
  const late: string[] = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await scene.bus.manager.streams.getMessage(rowStreamOf('polymarket.0'), { seq })
    if (message === null || !message.subject.startsWith('snap.')) continue
    const { shard, epoch, n } = decodeBatch(message.data)
    if (epoch < (newest.get(shard) ?? 0)) late.push(`${seq}: ${shard}:${epoch}:${n}`)
    newest.set(shard, Math.max(epoch, newest.get(shard) ?? 0))
  }
  return late
}
