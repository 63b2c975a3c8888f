import type { GapSegment } from '../../domain/hole.ts'
import type { StreamRow } from '../frames/stream-row.ts'
import type { Told } from '../frames/told.ts'

/** A recent row, trade or context of a market. */
export type RingItem = { readonly row: StreamRow; readonly gaps: readonly GapSegment[] } | { readonly told: Told }

/** Shared by the rings of all markets. */
export interface RingBudget {
  readonly maxBytes: number
  usedBytes: number
}

const TOLD_BYTES = 300
const ITEM_BYTES = 150
/** Older rows are read from the store. */
const KEPT_MS = 300_000

/** The last minutes of one market in the order they were sent; every missing slot has a gap. */
export class RowRing {
  readonly #budget: RingBudget
  readonly #intervalMs: number
  #items: RingItem[] = []
  #first = 0

  constructor(budget: RingBudget, intervalMs: number) {
    this.#budget = budget
    this.#intervalMs = intervalMs
  }

  push(item: RingItem): void {
    this.#items.push(item)
    this.#budget.usedBytes += bytesOf(item)
    const oldest = 'row' in item ? item.row.seq - KEPT_MS / this.#intervalMs : 0
    while (this.#first < this.#items.length - 1 && this.#isTooMuch(oldest)) this.#drop()
    if (this.#first > 1_024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
  }

  /** Slot of the oldest row; undefined without rows. */
  get firstSeq(): number | undefined {
    for (let index = this.#first; index < this.#items.length; index++) {
      const item = this.#items[index]
      if (item !== undefined && 'row' in item) return item.row.seq
    }
    return undefined
  }

  /** Everything after a slot; undefined when the ring doesn't reach back that far. */
  after(seq: number): RingItem[] | undefined {
    const { firstSeq } = this
    if (firstSeq === undefined || firstSeq > seq + 1) return undefined
    let index = this.#items.length
    while (index > this.#first) {
      const item = this.#items[index - 1]
      if (item !== undefined && 'row' in item && item.row.seq <= seq) break
      index--
    }
    return this.#items.slice(index)
  }

  /** What was received at or after a time, besides rows. */
  told(fromMs: number): Told[] {
    return this.#items
      .slice(this.#first)
      .flatMap((item) => ('told' in item && item.told.row.receivedAtMs >= fromMs ? [item.told] : []))
  }

  clear(): void {
    while (this.#first < this.#items.length) this.#drop()
    this.#items = []
    this.#first = 0
  }

  #isTooMuch(oldestSeq: number): boolean {
    if (this.#budget.usedBytes > this.#budget.maxBytes) return true
    const item = this.#items[this.#first]
    if (item === undefined) return false
    return 'row' in item ? item.row.seq < oldestSeq : item.told.row.receivedAtMs < oldestSeq * this.#intervalMs
  }

  #drop(): void {
    const item = this.#items[this.#first]
    if (item !== undefined) this.#budget.usedBytes -= bytesOf(item)
    this.#first++
  }
}

function bytesOf(item: RingItem): number {
  return ITEM_BYTES + ('row' in item ? item.row.byteCount : TOLD_BYTES)
}
