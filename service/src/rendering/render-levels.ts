import { PRICE_ONE } from '../domain/book.ts'
import { lengthAt, lengthBytes, uint64At } from '../domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS } from '../domain/rows/snapshot.ts'
import { PRICE_BYTES, SIZE_BYTES, type SnapshotRows } from '../domain/rows/snapshot-rows.ts'
import type { AsciiText } from './ascii-text.ts'

/** Offsets of one side of a token in the bytes of the rows; the prices of a mirrored side are one minus the stored ones. */
export interface Side {
  readonly length: number
  readonly prices: number
  readonly sizes: number
  readonly isMirrored: boolean
}

export interface Sides {
  readonly bids: Side
  readonly asks: Side
}

/** A side that was written before, with the position of each level in the text and of the end. */
export interface WrittenSide {
  readonly side: Side
  readonly places: Int32Array
}

const [OPEN, CLOSE, COMMA] = [91, 93, 44]

/** Both sides of one token, up to a depth. A mirrored row stores only UP, whose asks are the bids of DOWN at one minus the price. */
export function tokenSides(rows: SnapshotRows, index: number, outcome: 0 | 1, depth = Infinity): Sides {
  const isMirrored = outcome === 1 && (rows.flags(index) & SNAPSHOT_FLAGS.mirrored) !== 0
  const { view } = rows
  const [upBids, upAsksAt] = sideAt(view, rows.laddersStart(index), isMirrored, depth)
  const [upAsks, downAt] = sideAt(view, upAsksAt, isMirrored, depth)
  if (outcome === 0) return { bids: upBids, asks: upAsks }
  if (isMirrored) return { bids: upAsks, asks: upBids }
  const [bids, downAsksAt] = sideAt(view, downAt, false, depth)
  const [asks] = sideAt(view, downAsksAt, false, depth)
  return { bids, asks }
}

/** The side that starts at an offset, and the offset of the next one. */
function sideAt(view: DataView, at: number, isMirrored: boolean, depth: number): [Side, next: number] {
  const length = lengthAt(view, at)
  const prices = at + lengthBytes(length)
  const sizes = prices + length * PRICE_BYTES + lengthBytes(length)
  return [{ length: Math.min(length, depth), prices, sizes, isMirrored }, sizes + length * SIZE_BYTES]
}

/** In units; an empty side counts as the venue counts it: a bid of 0, an ask of 1. */
export function bestPrices(view: DataView, { bids, asks }: Sides): { readonly bid: number; readonly ask: number } {
  return {
    bid: bids.length === 0 ? 0 : priceAt(view, bids, 0),
    ask: asks.length === 0 ? PRICE_ONE : priceAt(view, asks, 0),
  }
}

export function sizeAt(view: DataView, { sizes }: Side, level: number): number {
  return uint64At(view, sizes + level * SIZE_BYTES)
}

export function priceAt(view: DataView, { prices, isMirrored }: Side, level: number): number {
  const price = view.getUint16(prices + level * PRICE_BYTES, true)
  return isMirrored ? PRICE_ONE - price : price
}

/** Few levels change from slot to slot, so unchanged levels at the top and the bottom are copied from the text of the previous row. */
export function putLevels(text: AsciiText, view: DataView, side: Side, before: WrittenSide | undefined): WrittenSide {
  const { length } = side
  const places = new Int32Array(length + 1)
  const above = before === undefined ? 0 : sameAbove(view, side, before.side)
  const below = before === undefined ? 0 : sameBelow(view, side, before.side, above)
  text.byte(OPEN)
  if (before !== undefined) copy(text, before.places, 0, above, places, 0)
  for (let level = above; level < length - below; level++) {
    places[level] = text.length
    text.byte(OPEN)
    text.price(priceAt(view, side, level))
    text.byte(COMMA)
    text.size(sizeAt(view, side, level))
    text.byte(CLOSE)
    text.byte(COMMA)
  }
  if (before !== undefined) copy(text, before.places, before.side.length - below, below, places, length - below)
  places[length] = text.length
  if (length > 0) text.back(1)
  text.byte(CLOSE)
  return { side, places }
}

function copy(text: AsciiText, from: Int32Array, first: number, count: number, places: Int32Array, at: number): void {
  if (count === 0) return
  const start = from[first] ?? 0
  const moved = text.length - start
  for (let level = 0; level < count; level++) places[at + level] = (from[first + level] ?? 0) + moved
  text.repeat(start, from[first + count] ?? 0)
  // The last level of the list was followed by the end of the list.
  text.back(1)
  text.byte(COMMA)
}

function sameAbove(view: DataView, one: Side, other: Side): number {
  if (one.isMirrored !== other.isMirrored) return 0
  const most = Math.min(one.length, other.length)
  let level = 0
  while (level < most && isSame(view, one, level, other, level)) level++
  return level
}

function sameBelow(view: DataView, one: Side, other: Side, above: number): number {
  if (one.isMirrored !== other.isMirrored) return 0
  const most = Math.min(one.length, other.length) - above
  let count = 0
  while (count < most && isSame(view, one, one.length - 1 - count, other, other.length - 1 - count)) count++
  return count
}

function isSame(view: DataView, one: Side, level: number, other: Side, otherLevel: number): boolean {
  const size = one.sizes + level * SIZE_BYTES
  const otherSize = other.sizes + otherLevel * SIZE_BYTES
  return (
    view.getUint32(size, true) === view.getUint32(otherSize, true) &&
    view.getUint32(size + 4, true) === view.getUint32(otherSize + 4, true) &&
    view.getUint16(one.prices + level * PRICE_BYTES, true) ===
      view.getUint16(other.prices + otherLevel * PRICE_BYTES, true)
  )
}
