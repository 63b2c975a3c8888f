import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slotAt, slotTimeMs } from './slot.ts'

const interval = fc.constantFrom(100, 250, 500, 1_000, 2_000, 3_000)
const moment = fc.integer({ min: 0, max: 4_102_444_800_000 })

test('every moment lies in exactly one slot, the last that began', () => {
  fc.assert(
    fc.property(moment, interval, (atMs, intervalMs) => {
      const slot = slotAt(atMs, intervalMs)
      expect(slotTimeMs(slot, intervalMs)).toBeLessThanOrEqual(atMs)
      expect(slotTimeMs(slot + 1, intervalMs)).toBeGreaterThan(atMs)
    }),
  )
})

test('consecutive instants have consecutive numbers', () => {
  fc.assert(
    fc.property(moment, interval, (atMs, intervalMs) => {
      expect(slotAt(atMs + intervalMs, intervalMs)).toBe(slotAt(atMs, intervalMs) + 1)
    }),
  )
})
