import type { HeatColumn } from './heat-column.ts'

const NOTHING = -1

/**
 * The newest columns of a heat map, each at its number modulo the length. Columns come from tiles and from a stream, in
 * any order and more than once: what is known of a column is joined, so that the order makes no difference.
 */
export class HeatRing {
  readonly columns: number
  readonly rows: number
  readonly bids: Uint8Array
  readonly asks: Uint8Array
  readonly stored: Uint16Array
  readonly expected: Uint16Array
  readonly suspect: Uint16Array
  readonly bestBid: Float64Array
  readonly bestAsk: Float64Array
  readonly #numbers: Float64Array
  #newest = NOTHING

  /** `columns` must be a power of two. */
  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
    this.bids = new Uint8Array(columns * rows)
    this.asks = new Uint8Array(columns * rows)
    this.stored = new Uint16Array(columns)
    this.expected = new Uint16Array(columns)
    this.suspect = new Uint16Array(columns)
    this.bestBid = new Float64Array(columns).fill(Number.NaN)
    this.bestAsk = new Float64Array(columns).fill(Number.NaN)
    this.#numbers = new Float64Array(columns).fill(NOTHING)
  }

  /** The largest number so far; undefined when nothing is known. */
  get newest(): number | undefined {
    return this.#newest === NOTHING ? undefined : this.#newest
  }

  /** The place of a column; undefined when nothing is known of it. */
  placeOf(number: number): number | undefined {
    const place = number & (this.columns - 1)
    return this.#numbers[place] === number ? place : undefined
  }

  /** Returns the place that changed; undefined for a column that is older than the ring is long. */
  join(column: HeatColumn): number | undefined {
    const { number } = column
    if (number <= this.#newest - this.columns) return undefined
    const place = number & (this.columns - 1)
    if (this.#numbers[place] !== number) this.#clear(place, number)
    if (number > this.#newest) this.#newest = number
    joinLargest(this.bids, place * this.rows, column.bids)
    joinLargest(this.asks, place * this.rows, column.asks)
    // The one who knows more rows has seen the last of them; of two who know as many, both have the same.
    if (column.stored > 0 && column.stored >= (this.stored[place] ?? 0)) {
      this.bestBid[place] = column.bestBid
      this.bestAsk[place] = column.bestAsk
    }
    raise(this.stored, place, column.stored)
    raise(this.expected, place, column.expected)
    raise(this.suspect, place, column.suspect)
    return place
  }

  #clear(place: number, number: number): void {
    this.#numbers[place] = number
    this.bids.fill(0, place * this.rows, (place + 1) * this.rows)
    this.asks.fill(0, place * this.rows, (place + 1) * this.rows)
    this.stored[place] = 0
    this.expected[place] = 0
    this.suspect[place] = 0
    this.bestBid[place] = Number.NaN
    this.bestAsk[place] = Number.NaN
  }
}

function joinLargest(all: Uint8Array, from: number, codes: Uint8Array): void {
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0
    if (code > (all[from + row] ?? 0)) all[from + row] = code
  }
}

function raise(counts: Uint16Array, place: number, count: number): void {
  if (count > (counts[place] ?? 0)) counts[place] = count
}
