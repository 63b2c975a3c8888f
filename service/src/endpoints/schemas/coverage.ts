import { z } from 'zod'
import { type SlotRange, slotCount } from '../../domain/slot-range.ts'
import { Instant, instantOf } from './instant.ts'

const DIGITS = 1_000_000

/** How complete a range of slots is. */
export const Coverage = z
  .object({
    expected_slots: z.int().describe('slots of the range in which the market was recorded'),
    stored_slots: z.int().describe('expected slots that have a row'),
    missing_slots: z.int().describe('expected slots without a row'),
    share: z
      .number()
      .nullable()
      .describe('stored divided by expected slots, rounded down; null when none was expected'),
    first_slot: z.int().nullable().describe('first slot that is counted'),
    last_slot: z.int().nullable().describe('last slot that is counted'),
    first: Instant.nullable().describe('time of the first slot that is counted'),
    last: Instant.nullable().describe('time of the last slot that is counted'),
  })
  .meta({ id: 'Coverage' })
export type Coverage = z.infer<typeof Coverage>

/** Rounded down, so that only a range without missing slots is 1. */
export function roundedShare(storedSlots: number, expectedSlots: number): number {
  return Math.floor((storedSlots / expectedSlots) * DIGITS) / DIGITS
}

export function coverageOfSlots(range: SlotRange, storedSlots: number, intervalMs: number): Coverage {
  const expected = slotCount(range)
  const isNone = expected === 0
  return {
    expected_slots: expected,
    stored_slots: storedSlots,
    missing_slots: expected - storedSlots,
    share: isNone ? null : roundedShare(storedSlots, expected),
    first_slot: isNone ? null : range.fromSlot,
    last_slot: isNone ? null : range.toSlot,
    first: isNone ? null : instantOf(range.fromSlot * intervalMs),
    last: isNone ? null : instantOf(range.toSlot * intervalMs),
  }
}
