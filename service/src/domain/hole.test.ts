import { describe, expect, test } from 'vitest'
import { explainHole, gapsBetween, isExplained } from './hole.ts'
import { GAP_CAUSES, type Gap } from './rows/gap.ts'

const CASES = 2_000

function gap(fromSlot: number, toSlot: number, changed: Partial<Gap> = {}): Gap {
  const told = { marketId: '0x', knownAtSlot: fromSlot, intervalMs: 250, detail: '' }
  return { ...told, fromSlot, toSlot, cause: 'disconnected', kind: 'missing', ...changed }
}

/** The same numbers in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

describe('a hole', () => {
  test('is told by the record that covers it, clipped', () => {
    expect(explainHole({ fromSlot: 10, toSlot: 12 }, [gap(5, 40)])).toEqual([
      { fromSlot: 10, toSlot: 12, kind: 'missing', cause: 'disconnected' },
    ])
  })

  test('has a part without a cause where no record reaches', () => {
    const segments = explainHole({ fromSlot: 10, toSlot: 19 }, [gap(12, 14), gap(17, 30, { cause: 'resync' })])
    expect(segments.map(({ fromSlot, toSlot, cause }) => [fromSlot, toSlot, cause])).toEqual([
      [10, 11, null],
      [12, 14, 'disconnected'],
      [15, 16, null],
      [17, 19, 'resync'],
    ])
    expect(isExplained(segments)).toBe(false)
  })

  test('is covered slot by slot, once and in order, whatever the records are', () => {
    for (let seed = 0; seed < CASES; seed++) {
      const draw = draws(seed)
      const fromSlot = draw(50)
      const hole = { fromSlot, toSlot: fromSlot + draw(30) }
      const records = Array.from({ length: draw(6) }, () => {
        const from = draw(90)
        const cause = GAP_CAUSES[draw(GAP_CAUSES.length)] ?? 'resync'
        return gap(from, from + draw(25), { cause, kind: draw(4) === 0 ? 'suspect' : 'missing' })
      })
      const segments = explainHole(hole, records)
      const slots = segments.flatMap((each) =>
        Array.from({ length: each.toSlot - each.fromSlot + 1 }, (_, index) => each.fromSlot + index),
      )
      expect(slots).toEqual(Array.from({ length: hole.toSlot - hole.fromSlot + 1 }, (_, index) => fromSlot + index))
      const missing = records.filter(({ kind }) => kind === 'missing')
      for (const segment of segments) {
        const telling = missing.filter((each) => each.fromSlot <= segment.fromSlot && each.toSlot >= segment.toSlot)
        if (segment.cause !== null) expect(telling.map(({ cause }) => cause)).toContain(segment.cause)
        else
          expect(missing.some((each) => each.fromSlot <= segment.toSlot && each.toSlot >= segment.fromSlot)).toBe(false)
      }
      expect(explainHole(hole, records.toReversed())).toEqual(segments)
    }
  })
})

test('a doubt is told before the first row at or after the slot in which it was known, and once', () => {
  const records = [gap(3, 6, { kind: 'suspect', cause: 'hash_mismatch', knownAtSlot: 8 }), gap(8, 9)]
  const told = [6, 7, 10, 11].map((slot, index) => gapsBetween([5, 6, 7, 10][index] ?? 0, slot, records))
  expect(told[0]).toEqual([])
  expect(told[1]).toEqual([])
  expect(told[2]).toEqual([
    { fromSlot: 3, toSlot: 6, kind: 'suspect', cause: 'hash_mismatch' },
    { fromSlot: 8, toSlot: 9, kind: 'missing', cause: 'disconnected' },
  ])
  expect(told[3]).toEqual([])
})
