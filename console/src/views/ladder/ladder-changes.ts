import { type LadderBook, stepOf } from './ladder-rows.ts'

/** What happened at a price in the last ten seconds, in shares. */
export interface LadderChange {
  readonly added: number
  readonly taken: number
  readonly cancelled: number
}

interface Event {
  readonly atMs: number
  readonly side: 'bid' | 'ask'
  readonly price: number
  readonly added: number
  readonly removed: number
  readonly traded: number
}

const KEPT_MS = 10_000

/** Follows the sizes of a book: what was added, what trades took, and what left without a trade. */
export class LadderChanges {
  #events: Event[] = []
  #before: LadderBook | undefined

  /** Call it with every book; `undefined` after a gap, because nobody knows what happened in it. */
  book(book: LadderBook | undefined, atMs: number): void {
    const before = this.#before
    this.#before = book
    this.#forget(atMs)
    if (before === undefined || book === undefined) return
    for (const side of ['bid', 'ask'] as const) this.#compare(side, before, book, atMs)
  }

  /** A buyer takes asks, a seller takes bids. */
  trade({ action, price, size }: { action: 'buy' | 'sell'; price: number; size: number }, atMs: number): void {
    const side = action === 'buy' ? 'ask' : 'bid'
    this.#events.push({ atMs, side, price, added: 0, removed: 0, traded: size })
  }

  /** By the number of the step. */
  bySteps(step: number, nowMs: number): Map<number, LadderChange> {
    this.#forget(nowMs)
    const sums = new Map<number, { added: number; removed: number; traded: number }>()
    for (const { side, price, added, removed, traded } of this.#events) {
      const number = stepOf(price, step, side)
      const sum = sums.get(number) ?? { added: 0, removed: 0, traded: 0 }
      sums.set(number, { added: sum.added + added, removed: sum.removed + removed, traded: sum.traded + traded })
    }
    return new Map(
      [...sums].map(([number, { added, removed, traded }]) => {
        const taken = Math.min(removed, traded)
        return [number, { added, taken, cancelled: removed - taken }]
      }),
    )
  }

  #compare(side: 'bid' | 'ask', before: LadderBook, after: LadderBook, atMs: number): void {
    const name = side === 'bid' ? 'bids' : 'asks'
    const left = new Map(before[name])
    for (const [price, size] of after[name]) {
      this.#note(side, price, size - (left.get(price) ?? 0), atMs)
      left.delete(price)
    }
    for (const [price, size] of left) this.#note(side, price, -size, atMs)
  }

  #note(side: 'bid' | 'ask', price: number, change: number, atMs: number): void {
    if (change === 0) return
    const event = { atMs, side, price, traded: 0 }
    this.#events.push({ ...event, added: Math.max(0, change), removed: Math.max(0, -change) })
  }

  #forget(nowMs: number): void {
    const first = this.#events.findIndex(({ atMs }) => atMs > nowMs - KEPT_MS)
    this.#events = first === -1 ? [] : this.#events.slice(first)
  }
}
