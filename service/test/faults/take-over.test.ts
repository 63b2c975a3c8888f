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

test('a standby takes over from a killed recorder and from a suspended one, which then publishes nothing and becomes the standby', {
  timeout: 90_000,
}, async () => {
  const first = await startProcess()
  await expect.poll(() => first.shardCount('shard lease acquired'), { timeout: 60_000 }).toBe(SHARDS)
  const second = await startProcess()
  await expect.poll(() => second.isWarm(), { timeout: 60_000 }).toBe(true)
  await untilRowsOf(epochsNow())
  expect(second.shardCount('shard lease acquired')).toBe(0)

  const epochsOfFirst = epochsNow()
  const stoppedAtMs = Date.now()
  first.signal('SIGSTOP')
  await untilRowsAfter(epochsOfFirst)
  const afterStopMs = firstRowsAfter(epochsOfFirst).map((atMs) => atMs - stoppedAtMs)
  report('first row of each shard after SIGSTOP, ms', afterStopMs)
  const countBefore = batches.length
  first.signal('SIGCONT')
  await expect.poll(() => first.shardCount('shard lost'), { timeout: 60_000 }).toBe(SHARDS)
  const epochsOfSecond = epochsNow()
  await untilRowsOf(epochsOfSecond, 4)
  // Subscribers receive also what the stream refuses: the suspended recorder must not even publish.
  const ofFirst = batches.slice(countBefore).filter(({ batch }) => batch.epoch < (epochsOfSecond.get(batch.shard) ?? 0))
  expect(ofFirst).toEqual([])
  expect(await lateEpochs()).toEqual([])

  await expect.poll(() => first.isWarm(), { timeout: 60_000 }).toBe(true)
  const killedAtMs = await second.kill()
  await untilRowsAfter(epochsOfSecond)
  const afterKillMs = firstRowsAfter(epochsOfSecond).map((atMs) => atMs - killedAtMs)
  report('first row of each shard after kill -9, ms', afterKillMs)
  expect(Math.max(...afterKillMs)).toBeLessThan(30_000)
  expect(first.shardCount('shard lease acquired')).toBe(2 * SHARDS)

  await first[Symbol.asyncDispose]()
  const check = await checkArchivedRows(scene)
  expect(check).toMatchObject(SOUND)
  expect(check.missingBy.capturer_down).toBeGreaterThan(0)
})

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

async function untilRowsOf(epochs: ReadonlyMap<string, number>, ticks = 1): Promise<void> {
  const from = batches.length
  const fewest = () =>
    Math.min(
      ...EACH_SHARD.map((shard) => {
        const isOf = ({ batch, rowCount }: LiveBatch) => {
          return batch.shard === shard && batch.epoch === epochs.get(shard) && rowCount > 0
        }
        return batches.slice(from).filter(isOf).length
      }),
    )
  await expect.poll(fewest, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(ticks)
}

async function untilRowsAfter(epochs: ReadonlyMap<string, number>): Promise<void> {
  await expect.poll(() => firstRowsAfter(epochs).length, { timeout: 60_000, interval: 20 }).toBe(SHARDS)
}

/** When the first row of a later epoch arrived in each shard. */
function firstRowsAfter(epochs: ReadonlyMap<string, number>): number[] {
  return EACH_SHARD.flatMap((shard) => {
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
