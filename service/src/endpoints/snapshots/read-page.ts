import type { Gap } from '../../domain/rows/gap.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import type { Order, RowPage, SlotRange } from '../../stores/books/snapshot-pages.ts'
import type { Span } from '../../stores/books/snapshots.ts'
import type { Stores } from '../stores.ts'
import type { TokenAt } from './render-snapshots.ts'
import { isAfter, type SnapshotCursor } from './snapshot-cursor.ts'

export interface PageWish {
  readonly order: Order
  /** Token snapshots. */
  readonly limit: number
  readonly outcomes: readonly (0 | 1)[]
  readonly includeBook: boolean
  readonly after: SnapshotCursor | undefined
}

export interface SnapshotPage {
  readonly rows: SnapshotRows
  readonly tokens: readonly TokenAt[]
  /** Where the next page begins; undefined when this is the last. */
  readonly next: SnapshotCursor | undefined
  /** The slots that this page answers for: up to its last row, or to the end of what was asked when nothing follows. */
  readonly range: SlotRange
  /** Gaps that touch these. */
  readonly gaps: readonly Gap[]
}

type PageStores = Pick<Stores, 'snapshotPages' | 'gaps' | 'knownGaps'>

/** Every slot has a row as a rule, so this many slots for each row that is wanted nearly always hold them all. */
const SLOTS_A_ROW = 2
const SLOTS_AT_LEAST = 64
const WIDER_EACH_TIME = 8

export async function readPage(
  stores: PageStores,
  range: SlotRange,
  wish: PageWish,
  { signal, nowMs }: { readonly signal: AbortSignal; readonly nowMs: number },
): Promise<SnapshotPage> {
  const left = afterCursor(range, wish)
  const isSplit = wish.after !== undefined && wish.after.outcome === 0
  // One more than wanted tells whether there is a next page.
  const rowsWanted = Math.ceil((wish.limit + 1 + (isSplit ? 1 : 0)) / wish.outcomes.length)
  const first = piece(left, wish.order, rowsWanted * SLOTS_A_ROW + SLOTS_AT_LEAST)
  const [rows, nearGaps] = await Promise.all([
    readRows(stores, left, first, { order: wish.order, limit: rowsWanted, includeBook: wish.includeBook }, signal),
    isNone(first) ? [] : stores.knownGaps.around(spanOf(first), nowMs),
  ])
  const all = tokensOf(rows, wish)
  const tokens = all.slice(0, wish.limit)
  const last = tokens.at(-1)
  const next =
    last && all.length > wish.limit
      ? { order: wish.order, slot: rows.slot(last.index), outcome: last.outcome }
      : undefined
  const covered = next === undefined ? left : upTo(left, wish.order, next.slot)
  const isNear = first.fromSlot <= covered.fromSlot && covered.toSlot <= first.toSlot
  // A hole must be explained by what is known now; without one, what was known a moment ago will do.
  const gaps = isNear && !hasHole(rows, tokens) ? nearGaps : await gapsIn(stores, covered)
  const touching = gaps.filter(({ fromSlot, toSlot }) => fromSlot <= covered.toSlot && toSlot >= covered.fromSlot)
  return { rows, tokens, next, range: covered, gaps: touching }
}

/** Reads a narrow piece first. What it lacks is behind a hole, so the next piece begins at the next row there is. */
async function readRows(
  { snapshotPages }: PageStores,
  range: SlotRange,
  first: SlotRange,
  page: RowPage,
  signal: AbortSignal,
): Promise<SnapshotRows> {
  let rows = isNone(first) ? new SnapshotRows(Buffer.alloc(0)) : await snapshotPages.rows(first, page, signal)
  let done = first
  for (let width = slotsIn(first); rows.count < page.limit; ) {
    const left = beyond(range, page.order, done)
    if (slotsIn(left) <= 0) break
    const edge = await snapshotPages.edge(left, page.order)
    if (edge === undefined) break
    width *= WIDER_EACH_TIME
    done = piece(page.order === 'asc' ? { ...left, fromSlot: edge } : { ...left, toSlot: edge }, page.order, width)
    const more = await snapshotPages.rows(done, { ...page, limit: page.limit - rows.count }, signal)
    rows = new SnapshotRows(Buffer.concat([rows.bytes, more.bytes]))
  }
  return rows
}

function tokensOf(rows: SnapshotRows, { outcomes, after }: PageWish): TokenAt[] {
  const tokens: TokenAt[] = []
  for (let index = 0; index < rows.count; index++) {
    for (const outcome of outcomes) if (isAfter(after, rows.slot(index), outcome)) tokens.push({ index, outcome })
  }
  return tokens
}

/** A page may have ended between the two tokens of a slot, which then is read again. */
function afterCursor(range: SlotRange, { order, outcomes, after }: PageWish): SlotRange {
  if (after === undefined) return range
  const isWhole = !outcomes.some((outcome) => outcome > after.outcome)
  if (order === 'asc') return { ...range, fromSlot: Math.max(range.fromSlot, after.slot + (isWhole ? 1 : 0)) }
  return { ...range, toSlot: Math.min(range.toSlot, after.slot - (isWhole ? 1 : 0)) }
}

function piece(range: SlotRange, order: Order, width: number): SlotRange {
  return order === 'asc'
    ? { ...range, toSlot: Math.min(range.toSlot, range.fromSlot + width - 1) }
    : { ...range, fromSlot: Math.max(range.fromSlot, range.toSlot - width + 1) }
}

function beyond(range: SlotRange, order: Order, done: SlotRange): SlotRange {
  return order === 'asc' ? { ...range, fromSlot: done.toSlot + 1 } : { ...range, toSlot: done.fromSlot - 1 }
}

function upTo(range: SlotRange, order: Order, slot: number): SlotRange {
  return order === 'asc' ? { ...range, toSlot: slot } : { ...range, fromSlot: slot }
}

function slotsIn({ fromSlot, toSlot }: SlotRange): number {
  return toSlot - fromSlot + 1
}

function hasHole(rows: SnapshotRows, tokens: readonly TokenAt[]): boolean {
  const [first, last] = [tokens[0], tokens.at(-1)]
  if (first === undefined || last === undefined) return true
  return Math.abs(rows.slot(last.index) - rows.slot(first.index)) !== last.index - first.index
}

export async function gapsIn({ gaps }: Pick<Stores, 'gaps'>, range: SlotRange): Promise<readonly Gap[]> {
  return isNone(range) ? [] : gaps.range(spanOf(range))
}

function isNone({ fromSlot, toSlot }: SlotRange): boolean {
  return fromSlot > toSlot
}

function spanOf({ marketId, intervalMs, fromSlot, toSlot }: SlotRange): Span {
  return { marketId, intervalMs, fromMs: fromSlot * intervalMs, toMs: (toSlot + 1) * intervalMs }
}
