// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { MARKETS_STREAM } from '../../src/bus/subjects.ts'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'
import { captureScene } from './capture-scene.ts'
import { comparedWithTruth, fault, faultOff, hotMarketId, untilRows } from './capture-steps.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})

afterAll(async () => {
  await stack?.stop()
})

const { verifiedUp, verifiedDown, mirrored } = SNAPSHOT_FLAGS
const PROVED = verifiedUp | verifiedDown

test('every followed market has a proved row at every slot, equal to what the venue had at that event', async () => {
  await using scene = await captureScene(stack)
  const { recording } = scene
  const marketId = hotMarketId(scene)
  scene.start()
  await untilRows(scene, marketId, 16)
  const rows = recording.rowsOf(marketId)
  expect(recording.holesOf(marketId)).toEqual([])
  expect(rows.every(({ flags }) => (flags & PROVED) === PROVED && (flags & mirrored) !== 0)).toBe(true)
  for (const { slot, intervalMs, capturedAtMs } of rows) {
    expect(Math.abs(capturedAtMs - slot * intervalMs)).toBeLessThanOrEqual(200)
  }

  expect(comparedWithTruth(scene, marketId, rows)).toBeGreaterThan(10)
})

describe('a failure of the feed becomes a gap with its time, never a wrong row', () => {
  test('F1: no data although pings are answered', async () => {
    await using scene = await captureScene(stack)
    const marketId = hotMarketId(scene)
    scene.start()
    await untilRows(scene, marketId, 8)
    const mutedAtMs = scene.simulator.world.nowMs
    const id = await fault(scene, { name: 'mute', target: { feed: 'polymarket', market: marketId } })
    await expect
      .poll(
        () =>
          scene.recording.gapsOf(marketId).find(({ cause, kind }) => cause === 'venue_silent' && kind === 'suspect'),
        {
          timeout: 120_000,
        },
      )
      .toBeDefined()
    const suspect = scene.recording.gapsOf(marketId).find(({ kind }) => kind === 'suspect')
    const knownAtMs = (suspect?.knownAtSlot ?? 0) * 250
    expect(knownAtMs - mutedAtMs).toBeLessThan(60_000)
    expect(Math.abs((suspect?.fromSlot ?? 0) * 250 - mutedAtMs)).toBeLessThan(5_000)
    const after = scene.recording.rowsOf(marketId).filter(({ slot }) => slot >= (suspect?.knownAtSlot ?? 0))
    expect(after).toEqual([])
    await faultOff(scene, id)
    await untilRows(scene, marketId, 4)
    expect(scene.recording.holesOf(marketId)).toEqual([])
  })
})

test('a market that the second of three recorders did not find gets its gap from the third', async () => {
  await using scene = await captureScene(stack)
  const marketId = hotMarketId(scene)
  const first = scene.start('first')
  await untilRows(scene, marketId, 8)
  await first.stop()
  // As if its listing were so old that the stream has forgotten it.
  await (await jetstreamManager(scene.connection)).streams.purge(MARKETS_STREAM)
  const between = scene.start('between', { plans: CATEGORY_PLANS.filter(({ category }) => category !== 'crypto') })
  const leases = await ShardLeases.open(jetstream(scene.connection), 'observer')
  const isWaiting = async (): Promise<boolean> => {
    const states = await Promise.all([leases.stateOf('polymarket.0'), leases.stateOf('polymarket.1')])
    return states.some((state) => state?.waiting[marketId] !== undefined)
  }
  await expect.poll(isWaiting).toBe(true)
  await between.stop()
  scene.start('after')
  await untilRows(scene, marketId, 8)
  expect(scene.recording.holesOf(marketId)).toEqual([])
})
