// Nightly: a recorder follows simulated sockets in real time.
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GapCause } from '../../src/domain/rows/gap.ts'
import { type CaptureScene, captureScene } from './capture-scene.ts'
import { comparedWithTruth, fault, faultOff, hotMarketId, untilRows } from './capture-steps.ts'

/** `none`: no gap is allowed. Causes: gaps are allowed, with these causes only. */
type Expected = 'none' | readonly GapCause[]

const LOST: readonly GapCause[] = [
  'hash_mismatch',
  'impossible_book',
  'undecodable',
  'resync',
  'disconnected',
  'venue_silent',
]

/** The gaps that each fault may cause; no row may be wrong and every slot has a row or a gap record. */
const FAULTS: [numbers: string, order: { name: string; [key: string]: unknown }, expected: Expected][] = [
  ['F11 frames in the wrong order', { name: 'reorder', rate: 0.2 }, LOST],
  ['F26 frames of other markets', { name: 'stray-market', rate: 0.3 }, 'none'],
  ['F30 a stale REST book', { name: 'stale-book' }, 'none'],
  ['F30 an invented REST book', { name: 'ghost-book' }, 'none'],
  ['F36 REST that does not know the book', { name: 'book-404' }, 'none'],
  ['F40 REST that fails', { name: 'rest-error' }, 'none'],
  ['F19 a slow reader is closed', { name: 'slow-consumer', target: { feed: 'polymarket' } }, ['disconnected']],
  ['F65 all sockets drop', { name: 'disconnect', target: { feed: 'polymarket' } }, ['disconnected']],
]

describe('faults of the feed', () => {
  let stack: Awaited<ReturnType<typeof borrowStack>>
  let scene: CaptureScene
  let marketId: string

  beforeAll(async () => {
    stack = await borrowStack({ engines: ['nats'] })
    scene = await captureScene(stack)
    scene.start()
    marketId = hotMarketId(scene)
    await untilRows(scene, marketId, 8)
  })

  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await stack?.stop()
  })

  test.each(FAULTS)('%s', async (_, order, expected) => {
    const { recording } = scene
    // The five-minute window of the previous test may have ended.
    marketId = hotMarketId(scene)
    await untilRows(scene, marketId, 1)
    const gapsBefore = recording.gaps.length
    // A frame that an earlier fault lost may be noticed only now; its gap starts at the last proof before.
    const earliestSlot = (recording.rowsOf(marketId).at(-1)?.slot ?? 0) - 2
    const id = await fault(scene, order)
    await untilRows(scene, marketId, 4)
    await faultOff(scene, id)
    await untilRows(scene, marketId, 4)
    const causes = new Set(
      recording.gaps
        .slice(gapsBefore)
        .filter((gap) => gap.marketId === marketId && gap.fromSlot >= earliestSlot)
        .map(({ cause }) => cause),
    )
    const allowed = expected === 'none' ? [] : [...expected, 'late_slot']
    expect([...causes].filter((cause) => !allowed.includes(cause) && cause !== 'late_slot')).toEqual([])
    expect(recording.holesOf(marketId)).toEqual([])
    expect(comparedWithTruth(scene, marketId, recording.rowsOf(marketId))).toBeGreaterThan(4)
  })
})
