// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { captureScene } from './capture-scene.ts'
import { hotMarketId, untilRows } from './capture-steps.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})
afterAll(async () => {
  await stack?.stop()
})

test('an overloaded recorder stops recording the least important plan, tells why, and takes it back', async () => {
  await using scene = await captureScene(stack)
  const { recording, simulator } = scene
  const important = hotMarketId(scene)
  const game = [...simulator.world.markets.values()].find(
    ({ phase, draft, event }) => phase === 'trading' && draft.window === undefined && event.slug.startsWith('nba'),
  )
  if (game === undefined) throw new Error('the world has no game')
  const state = { load: 0.2 }
  scene.start('test', {
    plans: CATEGORY_PLANS.filter(({ id }) => id === 'crypto' || id === 'sports'),
    shedding: { load: () => state.load, shedAbove: 0.9, lookEveryMs: 20 },
  })
  await untilRows(scene, important, 8)
  await untilRows(scene, game.conditionId, 4)

  state.load = 1
  const overloaded = () => recording.gapsOf(game.conditionId).find(({ cause }) => cause === 'capturer_overloaded')
  await expect.poll(overloaded).toBeDefined()
  const before = recording.rowsOf(important).length
  await untilRows(scene, important, before + 12)
  const fromSlot = overloaded()?.fromSlot ?? 0
  expect(recording.rowsOf(game.conditionId).every(({ slot }) => slot < fromSlot)).toBe(true)
  expect(recording.gapsOf(important).filter(({ cause }) => cause === 'capturer_overloaded')).toEqual([])

  state.load = 0.2
  const rows = () => recording.rowsOf(game.conditionId).filter(({ slot }) => slot > fromSlot).length
  await expect.poll(rows).toBeGreaterThan(4)
  expect(recording.holesOf(game.conditionId)).toEqual([])
  expect(recording.holesOf(important)).toEqual([])
})
