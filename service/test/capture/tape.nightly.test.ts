// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SNAPSHOT_FLAGS } from '../../src/domain/rows/snapshot.ts'
import { captureScene } from './capture-scene.ts'
import { comparedWithTruth, hotMarketId, untilRows } from './capture-steps.ts'

let stack: Awaited<ReturnType<typeof borrowStack>>

beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})

afterAll(async () => {
  await stack?.stop()
})

const PROVED = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown

test('rows recorded from a tape are proved and equal to the world', async () => {
  await using scene = await captureScene(stack, { tapeSeconds: 120 })
  const marketId = hotMarketId(scene)
  scene.start()
  await untilRows(scene, marketId, 16)
  const rows = scene.recording.rowsOf(marketId)
  expect(scene.recording.holesOf(marketId)).toEqual([])
  expect(rows.every(({ flags }) => (flags & PROVED) === PROVED)).toBe(true)
  expect(comparedWithTruth(scene, marketId, rows)).toBeGreaterThan(10)
})
