import type { Gap } from '../../domain/rows/gap.ts'
import type { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import { type SlotRange, slotCount, timeOf } from '../../domain/slot-range.ts'
import type { TokenAt } from '../../rendering/token-snapshots.ts'
import type { Order, SampledMarket } from '../../stores/books/slot-sql.ts'
import type { CaptureRange } from '../../stores/books/snapshot-pages.ts'
import { firstPart } from '../../stores/books/widening-read.ts'
import type { Stores } from '../stores.ts'

/** The last token snapshot of a page. Within a slot UP comes before DOWN, whatever the order. */
export interface PagePosition {
  readonly slot: number
  readonly outcome: 0 | 1
}

export interface PageRequest {
  readonly order: Order
  /** Token snapshots. */
  readonly limit: number
  readonly outcomes: readonly (0 | 1)[]
  readonly includeBook: boolean
  readonly after: PagePosition | undefined
  /** Rows of later slots are not read. */
  readonly upToSlot: number | undefined
}

export interface SnapshotPage {
  readonly rows: SnapshotRows
  readonly tokens: readonly TokenAt[]
  /** The last position of the page; undefined when no page follows. */
  readonly next: PagePosition | undefined
  /** The slots of this page: up to its last row, or to the end of the request when no page follows. */
  readonly range: CaptureRange
  /** Gaps that touch these slots. */
  readonly gaps: readonly Gap[]
  /** The newest slot that has been read, also when its row belongs to the next page; 0 without rows. */
  readonly readUpToSlot: number
}

export async function readPage(
  stores: Pick<Stores, 'snapshotPages' | 'gaps' | 'knownGaps'>,
  range: CaptureRange,
  request: PageRequest,
  { signal, nowMs }: { readonly signal: AbortSignal; readonly nowMs: number },
): Promise<SnapshotPage> {
  const { order, includeBook, upToSlot = Number.POSITIVE_INFINITY } = request
  const rest = restOf(range, request)
  // One more than requested shows whether there is a next page; a page may start with the second token of a slot.
  const tokensRead = request.limit + 1 + (request.after?.outcome === 0 ? 1 : 0)
  const limit = Math.ceil(tokensRead / request.outcomes.length)
  const first = firstPart(rest, order, limit)
  const [rows, knownGaps] = await Promise.all([
    stores.snapshotPages.rows(
      { ...rest, toSlot: Math.min(rest.toSlot, upToSlot) },
      { order, limit, includeBook },
      signal,
    ),
    slotCount(first) === 0 ? [] : stores.knownGaps.around(timeRangeOf(range, first), nowMs),
  ])
  const found = tokensAfter(rows, request)
  const tokens = found.slice(0, request.limit)
  const last = tokens.at(-1)
  const next = last && found.length > tokens.length ? { slot: rows.slot(last.index), outcome: last.outcome } : undefined
  const covered = next === undefined ? rest : upTo(rest, order, next.slot)
  const isInFirst = first.fromSlot <= covered.fromSlot && covered.toSlot <= first.toSlot
  // Gaps of the cache may lack a hole that is seconds old.
  const gaps = isInFirst && !hasHole(rows, tokens) ? knownGaps : await gapsIn(stores, covered)
  const touching = gaps.filter(({ fromSlot, toSlot }) => fromSlot <= covered.toSlot && toSlot >= covered.fromSlot)
  return { rows, tokens, next, range: covered, gaps: touching, readUpToSlot: newestSlotOf(rows) }
}

function newestSlotOf(rows: SnapshotRows): number {
  return rows.count === 0 ? 0 : Math.max(rows.slot(0), rows.slot(rows.count - 1))
}

export async function gapsIn(
  { gaps }: Pick<Stores, 'gaps'>,
  range: SampledMarket & SlotRange,
): Promise<readonly Gap[]> {
  return slotCount(range) === 0 ? [] : gaps.range(timeRangeOf(range, range))
}

function timeRangeOf({ marketId, intervalMs }: SampledMarket, slots: SlotRange) {
  return { marketId, intervalMs, ...timeOf(slots, intervalMs) }
}

function tokensAfter(rows: SnapshotRows, { order, outcomes, after }: PageRequest): TokenAt[] {
  const isAfter = (slot: number, outcome: 0 | 1): boolean => {
    if (after === undefined) return true
    if (slot === after.slot) return outcome > after.outcome
    return order === 'asc' ? slot > after.slot : slot < after.slot
  }
  const tokens: TokenAt[] = []
  for (let index = 0; index < rows.count; index++) {
    for (const outcome of outcomes) if (isAfter(rows.slot(index), outcome)) tokens.push({ index, outcome })
  }
  return tokens
}

/** When a page ended between the two tokens of a slot, the slot is read again. */
function restOf(range: CaptureRange, { order, outcomes, after }: PageRequest): CaptureRange {
  if (after === undefined) return range
  const isWhole = !outcomes.some((outcome) => outcome > after.outcome)
  if (order === 'asc') return { ...range, fromSlot: Math.max(range.fromSlot, after.slot + (isWhole ? 1 : 0)) }
  return { ...range, toSlot: Math.min(range.toSlot, after.slot - (isWhole ? 1 : 0)) }
}

function upTo(range: CaptureRange, order: Order, slot: number): CaptureRange {
  return order === 'asc' ? { ...range, toSlot: slot } : { ...range, fromSlot: slot }
}

function hasHole(rows: SnapshotRows, tokens: readonly TokenAt[]): boolean {
  const [first, last] = [tokens[0], tokens.at(-1)]
  if (first === undefined || last === undefined) return true
  return Math.abs(rows.slot(last.index) - rows.slot(first.index)) !== last.index - first.index
}
