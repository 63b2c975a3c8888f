import { expect, test } from 'vitest'
import { falseGaps, type RecordedGap, slotsOf } from './explain-gaps.ts'

const gap: RecordedGap = { market: '0x1', cause: 'hash_mismatch', intervalMs: 250, fromMs: 100_000, toMs: 101_000 }

test('a wrong hash explains a gap of its own market at that time, and no other', () => {
  const deed = { atMs: 100_000, fault: 'unexplained-hashes', market: '0x1' }
  expect(falseGaps([gap], [deed])).toEqual([])
  expect(falseGaps([gap], [{ ...deed, market: '0x2' }])).toEqual([gap])
  expect(falseGaps([gap], [{ ...deed, atMs: 80_000 }])).toEqual([gap])
  expect(falseGaps([gap], [{ ...deed, atMs: 120_000 }])).toEqual([gap])
  expect(falseGaps([gap], [{ ...deed, fault: 'late-duplicates' }])).toEqual([gap])
  expect(falseGaps([{ ...gap, cause: 'disconnected' }], [deed])).toHaveLength(1)
})

test('a closed socket explains gaps of its own markets that say so, and a stall explains none of them', () => {
  const cut = { ...gap, cause: 'disconnected' }
  const deed = { atMs: 100_000, fault: 'delivery-limits', connection: 'c', markets: ['0x2', '0x1'] }
  expect(falseGaps([cut], [deed])).toEqual([])
  expect(falseGaps([cut], [{ ...deed, markets: ['0x2'] }])).toEqual([cut])
  expect(falseGaps([cut], [{ atMs: 100_000, fault: 'delivery-limits', connection: 'c' }])).toEqual([cut])
  expect(falseGaps([gap], [deed])).toEqual([gap])
  expect(falseGaps([cut], [{ ...deed, fault: 'socket-stalls' }])).toEqual([cut])
  expect(falseGaps([{ ...gap, cause: 'resync' }], [{ ...deed, fault: 'socket-stalls', atMs: 70_000 }])).toEqual([])
})

test('a gap of the recorder itself needs no deed of the venue; a cause that nobody knows is false', () => {
  expect(falseGaps([{ ...gap, cause: 'capturer_down' }], [])).toEqual([])
  expect(falseGaps([{ ...gap, cause: 'new_cause' }], [])).toHaveLength(1)
  expect(slotsOf([gap])).toBe(4)
})
