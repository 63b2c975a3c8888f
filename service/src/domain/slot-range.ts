import type { TimeRange } from './time-range.ts'

/** Consecutive slots; both ends are included, and a range whose end is before its start is empty. */
export interface SlotRange {
  readonly fromSlot: number
  readonly toSlot: number
}

export const NO_SLOTS: SlotRange = { fromSlot: 1, toSlot: 0 }

/** A row is captured at most 0.8 of the shortest interval after its slot; this margin also covers clock corrections. */
const CAPTURE_MARGIN_MS = 5_000

export function slotCount({ fromSlot, toSlot }: SlotRange): number {
  return Math.max(0, toSlot - fromSlot + 1)
}

export function hasSlot({ fromSlot, toSlot }: SlotRange, slot: number): boolean {
  return fromSlot <= slot && slot <= toSlot
}

/** The slots whose time lies in the range. */
export function slotsIn({ fromMs, toMs }: TimeRange, intervalMs: number): SlotRange {
  return { fromSlot: Math.ceil(fromMs / intervalMs), toSlot: Math.ceil(toMs / intervalMs) - 1 }
}

/** The slots whose rows may have been captured in the range. */
export function slotsCapturedIn({ fromMs, toMs }: TimeRange, intervalMs: number): SlotRange {
  return {
    fromSlot: Math.floor(Math.max(fromMs - CAPTURE_MARGIN_MS, 0) / intervalMs),
    toSlot: Math.floor((toMs + CAPTURE_MARGIN_MS) / intervalMs),
  }
}

/** From the time of the first slot to the end of the last one. */
export function timeOf({ fromSlot, toSlot }: SlotRange, intervalMs: number): TimeRange {
  return { fromMs: fromSlot * intervalMs, toMs: (toSlot + 1) * intervalMs }
}
