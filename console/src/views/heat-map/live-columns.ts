import type { HeatColumn } from './heat-column.ts'
import { codeOfSize, type SizeScale } from './size-code.ts'

export type Levels = readonly (readonly [price: number, size: number])[]

export interface LiveBook {
  readonly bids: Levels
  readonly asks: Levels
}

export interface LiveColumnsForm {
  readonly intervalMs: number
  readonly slotsPerColumn: number
  readonly rows: number
  readonly priceFrom: number
  readonly priceStep: number
  readonly scale: SizeScale
  /** Prices of a side without levels, as the service tells them. */
  readonly emptyBid: number
  readonly emptyAsk: number
}

interface Open {
  readonly bids: Uint8Array
  readonly asks: Uint8Array
  readonly stored: Set<number>
  readonly suspect: Set<number>
  /** Slots up to this one should have a row. */
  lastSlot: number
  lastStored: number
  bestBid: number
  bestAsk: number
}

/** Sums are exact in these units, as in the service. */
const SIZE_UNITS = 1_000_000
const PRICE_UNITS = 1_000_000
/** Columns that may still change: gaps are told late. */
const KEPT = 600

/** Makes columns of the books and gaps of a stream or a replay. */
export class LiveColumns {
  readonly #form: LiveColumnsForm
  readonly #open = new Map<number, Open>()
  #firstSlot: number | undefined

  /** Slots are expected from the first one on; without it from the first book on. */
  constructor(form: LiveColumnsForm, firstSlot?: number) {
    this.#form = form
    this.#firstSlot = firstSlot
  }

  book(slot: number, { bids, asks }: LiveBook): HeatColumn {
    const { emptyBid, emptyAsk } = this.#form
    this.#firstSlot = Math.min(this.#firstSlot ?? slot, slot)
    const number = this.#numberOf(slot)
    const open = this.#columnAt(number)
    this.#largest(open.bids, bids)
    this.#largest(open.asks, asks)
    open.stored.add(slot)
    open.lastSlot = Math.max(open.lastSlot, slot)
    if (slot >= open.lastStored) {
      open.lastStored = slot
      open.bestBid = bids[0]?.[0] ?? emptyBid
      open.bestAsk = asks[0]?.[0] ?? emptyAsk
    }
    return this.#columnOf(number, open)
  }

  /** The columns that a gap concerns; those of before the first book are for the tiles. */
  *gap(fromSlot: number, toSlot: number, kind: 'missing' | 'suspect'): Generator<HeatColumn> {
    const first = Math.max(fromSlot, this.#firstSlot ?? Infinity)
    if (first > toSlot) return
    for (let number = this.#numberOf(first); number <= this.#numberOf(toSlot); number++) {
      const open = this.#columnAt(number)
      const from = Math.max(first, number * this.#form.slotsPerColumn)
      const to = Math.min(toSlot, (number + 1) * this.#form.slotsPerColumn - 1)
      open.lastSlot = Math.max(open.lastSlot, to)
      if (kind === 'suspect') for (let slot = from; slot <= to; slot++) open.suspect.add(slot)
      yield this.#columnOf(number, open)
    }
  }

  #numberOf(slot: number): number {
    return Math.floor(slot / this.#form.slotsPerColumn)
  }

  #columnAt(number: number): Open {
    const known = this.#open.get(number)
    if (known !== undefined) return known
    const { rows } = this.#form
    const open: Open = {
      bids: new Uint8Array(rows),
      asks: new Uint8Array(rows),
      stored: new Set(),
      suspect: new Set(),
      lastSlot: -1,
      lastStored: -1,
      bestBid: Number.NaN,
      bestAsk: Number.NaN,
    }
    this.#open.set(number, open)
    const [oldest] = this.#open.keys()
    if (this.#open.size > KEPT && oldest !== undefined) this.#open.delete(oldest)
    return open
  }

  #columnOf(number: number, open: Open): HeatColumn {
    const { slotsPerColumn } = this.#form
    const first = Math.max(number * slotsPerColumn, this.#firstSlot ?? Infinity)
    return {
      number,
      bids: open.bids,
      asks: open.asks,
      stored: open.stored.size,
      expected: Math.max(0, open.lastSlot - first + 1),
      suspect: open.suspect.size,
      bestBid: open.bestBid,
      bestAsk: open.bestAsk,
    }
  }

  /** Within a slot the sizes of a price step are added; over the slots of a column the largest sum counts. */
  #largest(codes: Uint8Array, levels: Levels): void {
    const { rows, scale } = this.#form
    let row = -1
    let units = 0
    const put = (): void => {
      if (row < 0 || row >= rows) return
      const code = codeOfSize(units / SIZE_UNITS, scale)
      if (code > (codes[row] ?? 0)) codes[row] = code
    }
    // Levels are sorted by price, so those of one step are neighbours.
    for (const [price, size] of levels) {
      const next = this.#rowOf(price)
      if (next !== row) {
        put()
        row = next
        units = 0
      }
      units += Math.round(size * SIZE_UNITS)
    }
    put()
  }

  #rowOf(price: number): number {
    const { priceFrom, priceStep } = this.#form
    const above = Math.round((price - priceFrom) * PRICE_UNITS)
    return Math.floor(above / Math.round(priceStep * PRICE_UNITS))
  }
}
