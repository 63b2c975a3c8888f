import type { Delivery } from '../bus/archive-feed.ts'
import { type Gap, writeGap } from '../domain/rows/gap.ts'
import { RowWriter } from '../domain/rows/row-binary.ts'
import { currentSchema } from '../domain/rows/row-table.ts'
import { slotTimeMs } from '../domain/slot.ts'
import type { GapStore } from '../stores/books/gaps.ts'
import type { InsertGroup } from './archive-insert.ts'

/** A message that nobody can read, or not to its end, between its neighbours of the same shard. */
interface Unread {
  delivery: Delivery
  reason: string
  sinceMs: number
  /** Ticks of the nearest messages that could be read. A shard's messages come in the order of their ticks. */
  afterMs: number | undefined
  beforeMs: number | undefined
}

/** Long enough for the first rows after a restart, whose message also told of the time away. */
const REACH_MS = 300_000

/**
 * Nothing in such a message can be trusted, not even its index. But what it took away shows: when its neighbours
 * are stored, slots between them have neither row nor record. These get records; until then the message is kept,
 * so that another archive does the same if this one ends. A record too many does no harm where a row turns up.
 */
export class UnreadMessages {
  readonly #settleMs: number
  readonly #newest = new Map<number, { sequence: number; tickAtMs: number }>()
  #waiting: Unread[] = []

  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  /** `tickAtMs`: when its envelope is sound and only rows are not. */
  add(delivery: Delivery, reason: string, tickAtMs?: number): void {
    const { shard, sequence } = delivery
    const known = this.#waiting.find((unread) => unread.delivery.sequence === sequence)
    if (known !== undefined) {
      known.delivery = delivery
      return
    }
    const newest = this.#newest.get(shard)
    const formerMs = newest !== undefined && newest.sequence < sequence ? newest.tickAtMs : undefined
    const sinceMs = performance.now()
    this.#waiting.push({ delivery, reason, sinceMs, afterMs: tickAtMs ?? formerMs, beforeMs: tickAtMs })
  }

  /** A message that could be read. */
  heard({ shard, sequence }: Delivery, tickAtMs: number): void {
    if (sequence > (this.#newest.get(shard)?.sequence ?? 0)) this.#newest.set(shard, { sequence, tickAtMs })
    for (const unread of this.#waiting) {
      if (unread.delivery.shard !== shard) continue
      if (sequence < unread.delivery.sequence) unread.afterMs = Math.max(unread.afterMs ?? 0, tickAtMs)
      else unread.beforeMs = Math.min(unread.beforeMs ?? tickAtMs, tickAtMs)
    }
  }

  /** Those whose neighbours have had time to be stored; they stay here until `forget`. */
  get due(): Unread[] {
    return this.#waiting.filter(({ sinceMs }) => performance.now() - sinceMs >= this.#settleMs)
  }

  get all(): readonly Unread[] {
    return this.#waiting
  }

  forget(unread: Unread): void {
    this.#waiting = this.#waiting.filter((other) => other !== unread)
  }
}

/**
 * Records for the slots that are missing around the message. When nothing came after it, the next recorder accounts
 * for the time; when its former neighbour was stored by an earlier archive, the minutes before it are looked through.
 */
export async function gapsAround(
  store: Pick<GapStore, 'uncoveredHoles'>,
  { delivery, reason, afterMs, beforeMs }: Unread,
): Promise<InsertGroup | undefined> {
  if (beforeMs === undefined) return undefined
  const fromMs = afterMs ?? beforeMs - REACH_MS
  const holes = await store.uncoveredHoles({ fromMs: fromMs - REACH_MS, toMs: beforeMs + REACH_MS })
  const gaps = holes
    .filter(({ fromSlot, toSlot, intervalMs }) => {
      return slotTimeMs(fromSlot, intervalMs) <= beforeMs && slotTimeMs(toSlot, intervalMs) >= fromMs
    })
    .map((hole): Gap => {
      const detail = `message ${delivery.sequence} of shard ${delivery.shard} could not be read: ${reason.slice(0, 80)}`
      return { ...hole, knownAtSlot: hole.toSlot, cause: 'undecodable', kind: 'missing', detail }
    })
  if (gaps.length === 0) return undefined
  const writer = new RowWriter()
  for (const gap of gaps) writeGap(writer, gap)
  const pieces = [{ delivery, bytes: writer.take(), rowCount: gaps.length }]
  return { table: 'gaps', schema: currentSchema('gaps'), pieces }
}
