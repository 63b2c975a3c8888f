import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Gap, GapKind } from './rows/gap.ts'
import { accountFor } from './slot-accounting.ts'
import type { SlotRange } from './slot-range.ts'

const RANGE = { fromSlot: 100, toSlot: 199 }

function gap(fromSlot: number, toSlot: number, kind: GapKind = 'missing'): Gap {
  const cause = kind === 'missing' ? 'disconnected' : 'hash_mismatch'
  return { marketId: '0x', fromSlot, toSlot, knownAtSlot: fromSlot, cause, kind, intervalMs: 250, detail: '' }
}

function runsOf(missing: ReadonlySet<number>): SlotRange[] {
  const runs: SlotRange[] = []
  for (const slot of [...missing].toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last?.toSlot === slot - 1) runs[runs.length - 1] = { ...last, toSlot: slot }
    else runs.push({ fromSlot: slot, toSlot: slot })
  }
  return runs
}

test('a record of missing rows counts only where there is no row', () => {
  const { gaps, missingSlots, unaccountedSlots } = accountFor(
    RANGE,
    [
      { fromSlot: 110, toSlot: 112 },
      { fromSlot: 115, toSlot: 120 },
    ],
    [gap(105, 117)],
  )
  expect(gaps.map(({ fromSlot, toSlot }) => [fromSlot, toSlot])).toEqual([
    [110, 112],
    [115, 117],
  ])
  expect({ missingSlots, unaccountedSlots }).toEqual({ missingSlots: 9, unaccountedSlots: 3 })
})

test('doubted rows exist, so doubt counts where it stands, inside the range', () => {
  const { gaps, missingSlots } = accountFor(RANGE, [], [gap(90, 104, 'suspect')])
  expect(gaps.map(({ fromSlot, toSlot }) => [fromSlot, toSlot])).toEqual([[100, 104]])
  expect(missingSlots).toBe(0)
})

test('counts agree with asking each slot', () => {
  const slot = fc.integer({ min: 100, max: 199 })
  const record = fc.tuple(slot, fc.nat(30)).map(([from, length]) => gap(from, from + length))
  fc.assert(
    fc.property(fc.uniqueArray(slot), fc.array(record, { maxLength: 8 }), (absent, records) => {
      const missing = new Set(absent)
      const told = (each: number) => records.some(({ fromSlot, toSlot }) => fromSlot <= each && each <= toSlot)
      const account = accountFor(RANGE, runsOf(missing), records)
      expect(account.missingSlots).toBe(missing.size)
      expect(account.unaccountedSlots).toBe(absent.filter((each) => !told(each)).length)
      for (const part of account.gaps) {
        for (let each = part.fromSlot; each <= part.toSlot; each++) expect(missing.has(each)).toBe(true)
      }
    }),
  )
})
