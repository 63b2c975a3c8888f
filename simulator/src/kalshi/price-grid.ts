import { PRICE_ONE } from '../world/book.ts'
import { dollars } from './number-text.ts'

export type GridName = 'linear_cent' | 'tapered_deci_cent'

interface PriceRange {
  start: number
  end: number
  step: number
}

const CENT = PRICE_ONE / 100
const TENTH_OF_CENT = PRICE_ONE / 1000

/** The prices at which a market can be traded. They lie mirror-inverted around one half, so YES and NO share them. */
export class PriceGrid {
  readonly name: GridName
  /** Valid prices, ascending. */
  readonly prices: readonly number[]
  readonly rangeTexts: readonly { start: string; end: string; step: string }[]
  /** How many valid prices are below each price. */
  readonly #countBelow: Uint16Array

  constructor(name: GridName, ranges: readonly PriceRange[]) {
    this.name = name
    this.prices = pricesIn(ranges)
    this.rangeTexts = ranges.map(({ start, end, step }) => ({
      start: dollars(start),
      end: dollars(end),
      step: dollars(step),
    }))
    this.#countBelow = new Uint16Array(PRICE_ONE + 2)
    const valid = new Set(this.prices)
    for (let price = 1; price < this.#countBelow.length; price++) {
      this.#countBelow[price] = (this.#countBelow[price - 1] ?? 0) + (valid.has(price - 1) ? 1 : 0)
    }
  }

  /** Index of the highest price below the fair one; -1 if there is none. */
  indexBelow(fair: number): number {
    return (this.#countBelow[Math.ceil(fair)] ?? 0) - 1
  }

  /** Index of the lowest price above the fair one. */
  indexAbove(fair: number): number {
    return this.#countBelow[Math.floor(fair) + 1] ?? this.prices.length
  }
}

function pricesIn(ranges: readonly PriceRange[]): number[] {
  const prices = new Set<number>()
  for (const { start, end, step } of ranges) for (let price = start; price <= end; price += step) prices.add(price)
  return [...prices].filter((price) => price > 0 && price < PRICE_ONE).sort((one, other) => one - other)
}

export const GRIDS: Readonly<Record<GridName, PriceGrid>> = {
  linear_cent: new PriceGrid('linear_cent', [{ start: 0, end: PRICE_ONE, step: CENT }]),
  tapered_deci_cent: new PriceGrid('tapered_deci_cent', [
    { start: 0, end: 10 * CENT, step: TENTH_OF_CENT },
    { start: 10 * CENT, end: 90 * CENT, step: CENT },
    { start: 90 * CENT, end: PRICE_ONE, step: TENTH_OF_CENT },
  ]),
}
