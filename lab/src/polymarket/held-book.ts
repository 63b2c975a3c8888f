import type { Level } from './book-hash.ts'
import { toUnits } from './decimal.ts'

interface HeldLevel extends Level {
  readonly units: bigint
}

/** By the price text as the venue wrote it: the hash is over texts, so two writings are two levels. */
export type HeldSide = Map<string, HeldLevel>

export interface HeldBook {
  bids: HeldSide
  asks: HeldSide
}

/** Size `0` removes the level. */
export function setLevel(side: HeldSide, price: string, size: string): void {
  if (toUnits(size) === 0n) side.delete(price)
  else side.set(price, { price, size, units: side.get(price)?.units ?? toUnits(price) })
}

export function holdLevels(levels: readonly Level[]): HeldSide {
  const side: HeldSide = new Map()
  for (const { price, size } of levels) {
    if (side.has(price)) throw new Error(`the book has two levels at ${price}`)
    if (toUnits(size) === 0n) throw new Error(`the book has size ${size} at ${price}`)
    side.set(price, { price, size, units: toUnits(price) })
  }
  return side
}

/** In the order of the hash: bids ascending, asks descending. */
export function sortedLevels(book: HeldBook): { bids: Level[]; asks: Level[] } {
  return { bids: ascending(book.bids).map(toLevel), asks: ascending(book.asks).reverse().map(toLevel) }
}

/** The prices at which two sides differ. */
export function changedPrices(before: HeldSide, after: HeldSide): string[] {
  const prices = new Set([...before.keys(), ...after.keys()])
  return [...prices].filter((price) => before.get(price)?.size !== after.get(price)?.size)
}

function ascending(side: HeldSide): HeldLevel[] {
  return [...side.values()].sort((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : 0))
}

function toLevel({ price, size }: HeldLevel): Level {
  return { price, size }
}
