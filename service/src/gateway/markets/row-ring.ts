import type { GapSegment } from '../../domain/hole.ts'
import type { Trade } from '../../domain/rows/trade.ts'
import type { StreamRow } from '../frames/stream-row.ts'

/** What a market told lately, in the order in which it was sent. */
export type RingItem = { readonly row: StreamRow; readonly gaps: readonly GapSegment[] } | { readonly trade: Trade }

/** Shared by the rings of all markets. */
export interface RingBudget {
  readonly maxBytes: number
  usedBytes: number
}

const TRADE_BYTES = 200
const ITEM_BYTES = 150
/** What is older is asked of the store. */
const KEPT_MS = 300_000

/** The last minutes of one market, without a hole that is not told of. */
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

  /** The first slot that it has a row of; undefined while it has none. */
  get firstSeq(): number | undefined {
    for (let index = this.#first; index < this.#items.length; index++) {
      const item = this.#items[index]
      if (item !== undefined && 'row' in item) return item.row.seq
    }
    return undefined
  }

  /** Everything behind a slot, or undefined when it doesn't reach that far back. */
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

  /** Trades alone, from a time of receipt on. */
  trades(fromMs: number): Trade[] {
    return this.#items
      .slice(this.#first)
      .flatMap((item) => ('trade' in item && item.trade.receivedAtMs >= fromMs ? [item.trade] : []))
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
    return 'row' in item ? item.row.seq < oldestSeq : item.trade.receivedAtMs < oldestSeq * this.#intervalMs
  }

  #drop(): void {
    const item = this.#items[this.#first]
    if (item !== undefined) this.#budget.usedBytes -= bytesOf(item)
    this.#first++
  }
}

function bytesOf(item: RingItem): number {
  return ITEM_BYTES + ('row' in item ? item.row.byteCount : TRADE_BYTES)
}
