import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LostSlots } from './lost-slots.ts'

test('the gap records cover exactly the lost slots', () => {
  const step = fc.record({ jump: fc.integer({ min: 1, max: 3 }), isTaken: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const lost = new LostSlots()
      const slots = new Set<number>()
      const covered = new Set<number>()
      const take = () => {
        for (const { fromSlot, toSlot } of lost.take(0, '')) {
          for (let slot = fromSlot; slot <= toSlot; slot++) covered.add(slot)
        }
      }
      let slot = 0
      for (const { jump, isTaken } of steps) {
        slot += jump
        slots.add(slot)
        lost.note({ marketId: '0x1', slot, intervalMs: 250 })
        if (isTaken) take()
      }
      take()
      expect(covered).toEqual(slots)
    }),
  )
})

test('a growing range is published again with the same first slot, so that the store keeps one record', () => {
  const lost = new LostSlots()
  lost.note({ marketId: '0x1', slot: 10, intervalMs: 250 })
  expect(lost.take(2_500, 'away')).toMatchObject([
    { fromSlot: 10, toSlot: 10, knownAtSlot: 10, cause: 'bus_unavailable' },
  ])
  lost.note({ marketId: '0x1', slot: 11, intervalMs: 250 })
  expect(lost.take(30_000, 'away')).toMatchObject([{ fromSlot: 10, toSlot: 11, knownAtSlot: 120 }])
  expect(lost.take(30_000, 'away')).toEqual([])
})
