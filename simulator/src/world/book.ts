/**
 * One book, stored for the first outcome. Prices are whole numbers of 0.0001, sizes whole
 * numbers of 0.01 shares. The second outcome's book is its mirror: its bids are these asks
 * at one minus the price.
 */
export const PRICE_ONE = 10_000
const SIZE_ONE = 100

export type SideName = 'bids' | 'asks'

export interface Level {
  price: number
  size: number
}

export interface Change {
  side: SideName
  price: number
  /** The new total at that price; 0 removes the level. */
  size: number
}

export class Book {
  /** Both ascending by price, so the best bid and the best ask are neighbours in the middle. */
  readonly bids: Level[] = []
  readonly asks: Level[] = []

  get bestBid(): number {
    return this.bids.at(-1)?.price ?? 0
  }

  get bestAsk(): number {
    return this.asks[0]?.price ?? PRICE_ONE
  }

  sizeAt(side: SideName, price: number): number {
    const levels = this[side]
    const level = levels[firstAtOrAbove(levels, price)]
    return level?.price === price ? level.size : 0
  }

  apply({ side, price, size }: Change): void {
    const levels = this[side]
    const index = firstAtOrAbove(levels, price)
    const exists = levels[index]?.price === price
    if (size > 0) levels.splice(index, exists ? 1 : 0, { price, size })
    else if (exists) levels.splice(index, 1)
  }

  /** A copy with these changes applied. */
  with(changes: readonly Change[]): Book {
    const copy = new Book()
    copy.bids.push(...this.bids)
    copy.asks.push(...this.asks)
    for (const change of changes) copy.apply(change)
    return copy
  }
}

function firstAtOrAbove(levels: readonly Level[], price: number): number {
  let low = 0
  let high = levels.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((levels[middle]?.price ?? 0) < price) low = middle + 1
    else high = middle
  }
  return low
}

function withoutTrailingZeros(whole: number, one: number): string {
  const digits = String(one).length - 1
  const fraction = String(whole % one)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(Math.floor(whole / one)) : `${Math.floor(whole / one)}.${fraction}`
}

const PRICE_TEXTS = Array.from({ length: PRICE_ONE + 1 }, (_, price) => withoutTrailingZeros(price, PRICE_ONE))

export function priceText(price: number): string {
  return PRICE_TEXTS[price] ?? withoutTrailingZeros(price, PRICE_ONE)
}

export function sizeText(size: number): string {
  return withoutTrailingZeros(size, SIZE_ONE)
}
