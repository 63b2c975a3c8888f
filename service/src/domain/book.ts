import { PRICE_DECIMALS } from './decimal.ts'

/** A price in units of 0.0001 and its size in units of 0.000001. Immutable. */
export interface Level {
  readonly price: number
  readonly size: number
}

export type Side = 'bids' | 'asks'

/** Both sides of one token, best price first. */
export interface Ladders {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}

export const PRICE_ONE = 10 ** PRICE_DECIMALS

/** The order book of one token. Both sides are sorted by rising price: the best bid is last, the best ask first. */
export class Book {
  #bids: Level[] = []
  #asks: Level[] = []

  get bids(): readonly Level[] {
    return this.#bids
  }

  get asks(): readonly Level[] {
    return this.#asks
  }

  get bestBid(): number | undefined {
    return this.#bids.at(-1)?.price
  }

  get bestAsk(): number | undefined {
    return this.#asks[0]?.price
  }

  /** Equal prices count as crossed, because such orders would have traded. */
  get isCrossed(): boolean {
    return this.bestBid !== undefined && this.bestAsk !== undefined && this.bestBid >= this.bestAsk
  }

  /** Replaces the whole book; levels may be in any order. Throws on zero sizes and repeated prices. */
  replace(ladders: Ladders): void {
    const bids = rising(ladders.bids)
    const asks = rising(ladders.asks)
    this.#bids = bids
    this.#asks = asks
  }

  /** Sets the total size at a price; 0 removes the level. */
  set(side: Side, price: number, size: number): void {
    const levels = side === 'bids' ? this.#bids : this.#asks
    const index = firstAtOrAbove(levels, price)
    const exists = levels[index]?.price === price
    if (size > 0) levels.splice(index, exists ? 1 : 0, { price, size })
    else if (exists) levels.splice(index, 1)
  }

  /** A copy of both sides, best price first. */
  ladders(): Ladders {
    return { bids: this.#bids.toReversed(), asks: this.#asks.slice() }
  }
}

/** The same book from the other token's side: our bids are its asks at one minus the price. */
export function mirrorOf({ bids, asks }: Ladders): Ladders {
  const mirrored = (levels: readonly Level[]): Level[] =>
    levels.map(({ price, size }) => ({ price: PRICE_ONE - price, size }))
  return { bids: mirrored(asks), asks: mirrored(bids) }
}

export function sameLadders(one: Ladders, other: Ladders): boolean {
  return sameLevels(one.bids, other.bids) && sameLevels(one.asks, other.asks)
}

function sameLevels(one: readonly Level[], other: readonly Level[]): boolean {
  if (one.length !== other.length) return false
  return one.every(({ price, size }, index) => other[index]?.price === price && other[index].size === size)
}

function rising(levels: readonly Level[]): Level[] {
  const sorted = levels.toSorted((one, other) => one.price - other.price)
  for (const [index, { price, size }] of sorted.entries()) {
    if (size <= 0) throw new Error(`the level at ${price} has no size`)
    if (sorted[index + 1]?.price === price) throw new Error(`there are two levels at ${price}`)
  }
  return sorted
}

/** Index of the first level at or above a price. */
export function firstAtOrAbove(levels: readonly Level[], price: number): number {
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((levels[middle]?.price ?? 0) < price) low = middle + 1
    else high = middle
  }
  return low
}
