import { PRICE_ONE } from '../domain/book.ts'
import { lengthAt, lengthBytes, uint64At } from '../domain/rows/row-binary.ts'
import { PRICE_BYTES, SIZE_BYTES } from '../domain/rows/snapshot-rows.ts'
import type { AsciiText } from './ascii-text.ts'

/** One side of a token: where its numbers stand among the bytes of the rows, and whether prices count from the other end. */
export interface Side {
  readonly length: number
  readonly prices: number
  readonly sizes: number
  readonly isMirrored: boolean
}

/** A side that is in the text already; the last place is behind its last level. */
export interface WrittenSide {
  readonly side: Side
  readonly places: Int32Array
}

const [OPEN, CLOSE, COMMA] = [91, 93, 44]

/** The side that begins at a place, and where the next one begins. */
export function sideAt(view: DataView, at: number, isMirrored: boolean): [Side, next: number] {
  const length = lengthAt(view, at)
  const prices = at + lengthBytes(length)
  const sizes = prices + length * PRICE_BYTES + lengthBytes(length)
  return [{ length, prices, sizes, isMirrored }, sizes + length * SIZE_BYTES]
}

export function priceAt(view: DataView, { prices, isMirrored }: Side, level: number): number {
  const price = view.getUint16(prices + level * PRICE_BYTES, true)
  return isMirrored ? PRICE_ONE - price : price
}

/** From slot to slot few levels change; those above and below them are copied from the text of the row before. */
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
    text.size(uint64At(view, side.sizes + level * SIZE_BYTES))
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
  // Behind the last level of its list stood the end of the list.
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
