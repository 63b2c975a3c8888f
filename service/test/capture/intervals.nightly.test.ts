// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeMarketUpdate } from '../../src/bus/market-updates.ts'
import { MARKETS_STREAM, marketSubject } from '../../src/bus/subjects.ts'
import { CATEGORY_PLANS, type CategoryPlan } from '../../src/domain/plan.ts'
import { type CaptureScene, captureScene } from './capture-scene.ts'
import { hotMarketId, untilRows } from './capture-steps.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})

afterAll(async () => {
  await stack?.stop()
})

function plans(intervals: Partial<Record<CategoryPlan['category'], number>>): CategoryPlan[] {
  return CATEGORY_PLANS.flatMap((plan) => {
    const captureIntervalMs = intervals[plan.category]
    return captureIntervalMs === undefined ? [] : [{ ...plan, captureIntervalMs }]
  })
}

async function publishedInterval({ connection }: CaptureScene, marketId: string): Promise<number | undefined> {
  const manager = await jetstreamManager(connection)
  const message = await manager.streams.getMessage(MARKETS_STREAM, {
    last_by_subj: marketSubject('polymarket', 'listed', marketId),
  })
  const update = message === null ? undefined : decodeMarketUpdate(message.data)
  return update?.kind === 'listed' ? update.market.captureIntervalMs : undefined
}

test('a market keeps the interval it was first recorded with when its plan changes; later markets have the new one', async () => {
  await using scene = await captureScene(stack)
  const { recording } = scene
  const marketId = hotMarketId(scene)
  const first = scene.start('first', { plans: plans({ crypto: 250 }) })
  await untilRows(scene, marketId, 8)
  await first.stop()
  scene.start('second', { plans: plans({ crypto: 300, sports: 700, equities: 700, weather: 700 }) })
  await untilRows(scene, marketId, 8)
  const firstNew = () => recording.snapshots.find(({ intervalMs }) => intervalMs === 700)
  await expect.poll(firstNew).toBeDefined()

  const rows = recording.rowsOf(marketId)
  expect(new Set(rows.map(({ intervalMs }) => intervalMs))).toEqual(new Set([250]))
  expect(recording.holesOf(marketId)).toEqual([])
  for (const { slot, capturedAtMs } of rows) expect(Math.abs(capturedAtMs - slot * 250)).toBeLessThanOrEqual(200)
  expect(await publishedInterval(scene, marketId)).toBe(250)
  expect(await publishedInterval(scene, firstNew()?.marketId ?? '')).toBe(700)
})

test('of two recorders with different plans, the first to list a market decides its interval', async () => {
  await using scene = await captureScene(stack)
  const marketId = hotMarketId(scene)
  const both = [
    scene.start('one', { plans: plans({ crypto: 250 }) }),
    scene.start('other', { plans: plans({ crypto: 400 }) }),
  ]
  await untilRows(scene, marketId, 4)
  const [decided] = scene.recording.rowsOf(marketId)
  await both[0]?.stop()
  await untilRows(scene, marketId, 4)
  expect(new Set(scene.recording.rowsOf(marketId).map(({ intervalMs }) => intervalMs))).toEqual(
    new Set([decided?.intervalMs]),
  )
})
