import { type SlotRange, slotCount } from '../../domain/slot-range.ts'
import type { Order } from './slot-sql.ts'

export interface WideningRead<Rows> {
  readonly range: SlotRange
  readonly order: Order
  readonly limit: number
  readonly read: (slots: SlotRange, limit: number) => Promise<Rows>
  readonly countOf: (rows: Rows) => number
  /** The first of these slots that has a row, in the order of the read; undefined when none has. */
  readonly edge: (slots: SlotRange) => Promise<number | undefined>
}

/** Almost every slot has a row, so this many slots usually hold the rows of a page. */
const SLOTS_PER_ROW = 2
const LEAST_SLOTS = 64
const WIDENING = 8

/** The part of a range that is read first for this many rows. */
export function firstPart(range: SlotRange, order: Order, limit: number): SlotRange {
  return partOf(range, order, limit * SLOTS_PER_ROW + LEAST_SLOTS)
}

/** Reads a narrow part of a long range first. Missing rows are behind a hole, so each next, wider part starts at the next stored row. */
export async function readWidening<Rows>({
  range,
  order,
  limit,
  read,
  countOf,
  edge,
}: WideningRead<Rows>): Promise<Rows[]> {
  const parts: Rows[] = []
  let [rest, missing] = [range, limit]
  for (let part = firstPart(range, order, limit); slotCount(part) > 0; ) {
    const rows = await read(part, missing)
    parts.push(rows)
    missing -= countOf(rows)
    rest = order === 'asc' ? { ...rest, fromSlot: part.toSlot + 1 } : { ...rest, toSlot: part.fromSlot - 1 }
    const start = missing > 0 && slotCount(rest) > 0 ? await edge(rest) : undefined
    if (start === undefined) break
    rest = order === 'asc' ? { ...rest, fromSlot: start } : { ...rest, toSlot: start }
    part = partOf(rest, order, slotCount(part) * WIDENING)
  }
  return parts
}

function partOf({ fromSlot, toSlot }: SlotRange, order: Order, count: number): SlotRange {
  return order === 'asc'
    ? { fromSlot, toSlot: Math.min(toSlot, fromSlot + count - 1) }
    : { fromSlot: Math.max(fromSlot, toSlot - count + 1), toSlot }
}
