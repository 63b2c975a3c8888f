// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { decodeMarketUpdate, type MarketUpdate } from '../../src/bus/market-updates.ts'
import { ShardLeases } from '../../src/bus/shard-leases.ts'
import { MARKETS_STREAM, marketSubject } from '../../src/bus/subjects.ts'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { type CaptureScene, captureScene } from './capture-scene.ts'
import { fault, faultOff } from './capture-steps.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})

afterAll(async () => {
  await stack?.stop()
})

/** Timers run in real time, so discovery must run more often to keep up with simulated time. */
const PLANS = CATEGORY_PLANS.filter(({ id }) => id === 'crypto').map((plan) => ({ ...plan, refreshIntervalMs: 200 }))
const BEFORE_AN_END_MS = Date.parse('2026-11-15T02:24:10Z')

function endingWindow({ simulator: { world } }: CaptureScene) {
  const window = [...world.markets.values()].find(({ draft }) => draft.slug.startsWith('btc-updown-5m-'))
  if (window === undefined) throw new Error('no window')
  return window
}

async function updateOf({ connection }: CaptureScene, kind: MarketUpdate['kind'], marketId: string) {
  const manager = await jetstreamManager(connection)
  const subject = marketSubject('polymarket', kind, marketId)
  const message = await manager.streams.getMessage(MARKETS_STREAM, { last_by_subj: subject })
  return message === null ? undefined : decodeMarketUpdate(message.data)
}

/** As the catalogue lists it, without milliseconds. */
function resolutionOf({ conditionId, winner, resolveAtMs }: ReturnType<typeof endingWindow>) {
  const resolvedAtMs = Math.floor(resolveAtMs / 1_000) * 1_000
  return { kind: 'resolved', resolution: { marketId: conditionId, winner, resolvedAtMs } }
}

test('a market that is resolved while the socket is down still gets its resolution published', async () => {
  await using scene = await captureScene(stack, { startMs: BEFORE_AN_END_MS, speed: 10 })
  const window = endingWindow(scene)
  scene.start('test', { plans: PLANS })
  await expect.poll(() => updateOf(scene, 'listed', window.conditionId)).toBeDefined()
  const id = await fault(scene, { name: 'refuse-upgrade', target: { feed: 'polymarket' } })
  await fault(scene, { name: 'disconnect', target: { feed: 'polymarket' } })
  expect(window.phase).toBe('trading')
  await vi.waitUntil(() => window.phase === 'resolved', { timeout: 120_000 })
  await faultOff(scene, id)
  await expect
    .poll(() => updateOf(scene, 'resolved', window.conditionId), { timeout: 120_000 })
    .toMatchObject(resolutionOf(window))
})

test('a market that is resolved while no recorder runs gets its resolution from the next recorder', async () => {
  await using scene = await captureScene(stack, { startMs: BEFORE_AN_END_MS + 86_400_000, speed: 20 })
  const window = endingWindow(scene)
  const leases = await ShardLeases.open(jetstream(scene.connection), 'before')
  const lease = await leases.acquire('polymarket.0')
  await lease?.saveState(BEFORE_AN_END_MS, [window.conditionId])
  await lease?.release()
  await vi.waitUntil(() => window.phase === 'resolved', { timeout: 120_000 })
  scene.start('next', { plans: PLANS })
  await expect
    .poll(() => updateOf(scene, 'resolved', window.conditionId), { timeout: 120_000 })
    .toMatchObject(resolutionOf(window))
})
