import type { Delivery } from '../bus/archive-feed.ts'
import { type Gap, writeGap } from '../domain/rows/gap.ts'
import { RowWriter } from '../domain/rows/row-binary.ts'
import { currentSchema } from '../domain/rows/row-table.ts'
import { slotTimeMs } from '../domain/slot.ts'
import type { GapStore } from '../stores/books/gaps.ts'
import type { InsertGroup } from './archive-insert.ts'

/** A message that can't be decoded, or only in part. */
interface UnreadMessage {
  delivery: Delivery
  reason: string
  sinceMs: number
  /** Tick times of the nearest readable messages of the shard, whose messages are in tick order. */
  afterMs: number | undefined
  beforeMs: number | undefined
}

/** Long enough to include the first rows after a restart, whose message also had the gap records of the downtime. */
const SEARCH_AROUND_MS = 300_000

/**
 * Messages whose content, even the index, can't be trusted. Once the messages around one are stored, the slots that
 * have neither a row nor a gap record are the lost ones, and get gap records. Until then the message is not
 * acknowledged, so that another archive can take over. A gap record is ignored where a row exists.
 */
export class UnreadMessages {
  readonly #waitMs: number
  readonly #newest = new Map<string, { sequence: number; tickAtMs: number }>()
  #waiting: UnreadMessage[] = []

  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  /** `tickAtMs` is known when the message could be decoded but some of its rows were refused. */
  add(delivery: Delivery, reason: string, tickAtMs?: number): void {
    const { sequence } = delivery
    const known = this.#waiting.find((unread) => unread.delivery.id === delivery.id)
    if (known !== undefined) {
      known.delivery = delivery
      return
    }
    const newest = this.#newest.get(placeOf(delivery))
    const previousMs = newest !== undefined && newest.sequence < sequence ? newest.tickAtMs : undefined
    const sinceMs = performance.now()
    this.#waiting.push({ delivery, reason, sinceMs, afterMs: tickAtMs ?? previousMs, beforeMs: tickAtMs })
  }

  /** Narrows the time range of unreadable messages of the same shard. */
  addReadable(delivery: Delivery, tickAtMs: number): void {
    const { sequence } = delivery
    const place = placeOf(delivery)
    if (sequence > (this.#newest.get(place)?.sequence ?? 0)) this.#newest.set(place, { sequence, tickAtMs })
    for (const unread of this.#waiting) {
      if (placeOf(unread.delivery) !== place) continue
      if (sequence < unread.delivery.sequence) unread.afterMs = Math.max(unread.afterMs ?? 0, tickAtMs)
      else unread.beforeMs = Math.min(unread.beforeMs ?? tickAtMs, tickAtMs)
    }
  }

  /** Messages that have waited long enough; they stay here until `forget`. */
  get due(): UnreadMessage[] {
    return this.#waiting.filter(({ sinceMs }) => performance.now() - sinceMs >= this.#waitMs)
  }

  get all(): readonly UnreadMessage[] {
    return this.#waiting
  }

  forget(unread: UnreadMessage): void {
    this.#waiting = this.#waiting.filter((other) => other !== unread)
  }
}

/**
 * Gap records for the slots that are missing around the message. Without a later message the next recorder writes
 * them; without a known earlier message the minutes before it are searched.
 */
export async function gapsAround(
  store: Pick<GapStore, 'uncoveredHoles'>,
  { delivery, reason, afterMs, beforeMs }: UnreadMessage,
): Promise<InsertGroup | undefined> {
  if (beforeMs === undefined) return undefined
  const fromMs = afterMs ?? beforeMs - SEARCH_AROUND_MS
  const holes = await store.uncoveredHoles({ fromMs: fromMs - SEARCH_AROUND_MS, toMs: beforeMs + SEARCH_AROUND_MS })
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

/** Sequences can be compared within one stream only. */
function placeOf({ id, shard }: Delivery): string {
  return `${id.slice(0, id.lastIndexOf(':'))} ${shard}`
}
