import type { HeatRing } from './heat-ring.ts'

const LEAST_ROWS = 20
/** Rows beside the best prices, so that the book around them is seen. */
const MARGIN_ROWS = 6
const MARGIN_PRICE = 0.03

export interface RowRange {
  readonly low: number
  readonly high: number
}

/** The rows around the best prices of these columns. */
export function rowsToShow(
  ring: HeatRing,
  { from, to, priceFrom, priceStep }: { from: number; to: number; priceFrom: number; priceStep: number },
): RowRange {
  let low = Infinity
  let high = -Infinity
  const rowOf = (price: number): number => Math.floor((price - priceFrom) / priceStep + 1e-6)
  for (let number = Math.floor(from); number < to; number++) {
    const place = ring.placeOf(number)
    if (place === undefined || ring.stored[place] === 0) continue
    low = Math.min(low, rowOf(ring.bestBid[place] ?? Infinity))
    high = Math.max(high, rowOf(ring.bestAsk[place] ?? -Infinity))
  }
  if (low > high) return { low: 0, high: ring.rows }
  const margin = Math.max(MARGIN_ROWS, Math.round(MARGIN_PRICE / priceStep))
  return widened({ low: low - margin, high: high + 1 + margin }, ring.rows)
}

function widened({ low, high }: RowRange, rows: number): RowRange {
  const lack = Math.max(0, LEAST_ROWS - (high - low)) / 2
  const from = Math.max(0, Math.floor(low - lack))
  const to = Math.min(rows, Math.ceil(high + lack))
  return { low: Math.min(from, Math.max(0, rows - LEAST_ROWS)), high: Math.max(to, Math.min(rows, LEAST_ROWS)) }
}
