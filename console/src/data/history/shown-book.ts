import type { HeatMapData } from '../../views/heat-map/heat-map-data.ts'
import { sizeOfCode } from '../../views/heat-map/size-code.ts'
import type { BookSides } from './packed-book.ts'

/** The book at the playhead, and how much it can be trusted. */
export interface ShownBook extends BookSides {
  /**
   * `exact`: the stored row of this slot. `near`: sizes of the column of the heat map, until the row has arrived.
   * `earlier`: this slot has no row; the last one before it.
   */
  readonly kind: 'exact' | 'near' | 'earlier'
  readonly capturedAt?: number
  readonly flags: readonly string[]
}

/** The book as the heat map knows it; undefined when it knows nothing of this time. */
export function bookOfColumn(data: HeatMapData, level: number, atMs: number): ShownBook | undefined {
  const form = data.levels[level]
  const ring = data.rings[level]
  const place = ring?.placeOf(data.numberAt(level, atMs))
  if (form === undefined || ring === undefined || place === undefined || ring.stored[place] === 0) return undefined
  const levelsOf = (codes: Uint8Array): [number, number][] => {
    const found: [number, number][] = []
    for (let row = 0; row < ring.rows; row++) {
      const code = codes[place * ring.rows + row] ?? 0
      if (code > 0) found.push([form.priceFrom + row * form.priceStep, sizeOfCode(code, form.scale)])
    }
    return found
  }
  // A column has the largest sizes of several slots: beyond the best prices of its last one they are of before.
  const bids = levelsOf(ring.bids).filter(([price]) => price <= (ring.bestBid[place] ?? 0))
  const asks = levelsOf(ring.asks).filter(([price]) => price + form.priceStep > (ring.bestAsk[place] ?? 1))
  return { kind: 'near', bids: bids.toReversed(), asks, flags: [] }
}
