import type { Level, Side } from '../../domain/book.ts'

/** A REST book is at most this old: the time limit of one request and what the venue may lag. */
const KEPT_MS = 15_000
/** Enough for 1,000 changes a second. */
const MOST_STATES = 16_384
const UINT32 = 0x1_0000_0000
/** Of the second sum, so that both fit into an exact number. */
const LOW_BITS = 21

/**
 * A number that stands for all levels of a book: the sum of a hash of each level, so that the order of levels does not
 * matter and a change costs the same in a book of any depth.
 */
export class Fingerprint {
  #high = 0
  #low = 0

  add(side: Side, { price, size }: Level): void {
    this.#high = (this.#high + levelHash(side, price, size, 0x2545f491)) >>> 0
    this.#low = (this.#low + levelHash(side, price, size, 0x9e3779b9)) >>> 0
  }

  remove(side: Side, { price, size }: Level): void {
    this.#high = (this.#high - levelHash(side, price, size, 0x2545f491)) >>> 0
    this.#low = (this.#low - levelHash(side, price, size, 0x9e3779b9)) >>> 0
  }

  get value(): number {
    return this.#high * 2 ** LOW_BITS + (this.#low >>> (32 - LOW_BITS))
  }
}

function levelHash(side: Side, price: number, size: number, seed: number): number {
  let bits = mixed(seed ^ (price * 2 + (side === 'bids' ? 0 : 1)))
  bits = mixed(bits ^ (size >>> 0))
  return mixed(bits ^ Math.floor(size / UINT32))
}

function mixed(bits: number): number {
  let mix = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}

/** The fingerprints of a book's states of the last seconds. */
export class RecentStates {
  #values: number[] = []
  /** From when on the book had each state. */
  #sinceMs: number[] = []
  #first = 0

  add(value: number, atMs: number): void {
    this.#values.push(value)
    this.#sinceMs.push(atMs)
    // A state lasts until the next one, so the last state before the limit is still needed.
    while ((this.#sinceMs[this.#first + 1] ?? atMs) < atMs - KEPT_MS) this.#first++
    if (this.#values.length - this.#first > MOST_STATES) this.#first++
    if (this.#first * 2 <= this.#values.length) return
    this.#values = this.#values.slice(this.#first)
    this.#sinceMs = this.#sinceMs.slice(this.#first)
    this.#first = 0
  }

  clear(): void {
    this.#values = []
    this.#sinceMs = []
    this.#first = 0
  }

  /** `equal`: the book had this state at some time since `fromMs`. `older`: only before. */
  relationOf(value: number, fromMs: number): 'equal' | 'older' | 'other' {
    for (let index = this.#values.length - 1; index >= this.#first; index--) {
      if (this.#values[index] !== value) continue
      const untilMs = this.#sinceMs[index + 1] ?? Number.POSITIVE_INFINITY
      if (untilMs >= fromMs) return 'equal'
      // Of a state that ended longer ago no REST book can still tell.
      return untilMs >= fromMs - KEPT_MS ? 'older' : 'other'
    }
    return 'other'
  }
}
