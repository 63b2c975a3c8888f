import type { HeatRing } from './heat-ring.ts'

/** Sizes below the lower code are not drawn; from the upper one on all look the same. */
export interface Contrast {
  readonly low: number
  readonly high: number
}

const CODES = 256
const LOW_SHARE = 0.05
const HIGH_SHARE = 0.99
/** Wide enough to tell small sizes from large ones when all are alike. */
const LEAST_RANGE = 14

/** What is on the screen; columns and rows may be cut by its edges. */
export interface ShownCells {
  readonly from: number
  readonly to: number
  readonly low: number
  readonly high: number
}

/** How often each code occurs in these cells; those without a size are not counted. */
export function histogramOf(ring: HeatRing, { from, to, low, high }: ShownCells): Uint32Array {
  const first = Math.max(0, Math.floor(low))
  const end = Math.min(ring.rows, Math.ceil(high))
  const counts = new Uint32Array(CODES)
  for (let number = from; number < to; number++) {
    const place = ring.placeOf(number)
    if (place === undefined) continue
    for (let cell = place * ring.rows + first; cell < place * ring.rows + end; cell++) {
      const code = Math.max(ring.bids[cell] ?? 0, ring.asks[cell] ?? 0)
      if (code > 0) counts[code] = (counts[code] ?? 0) + 1
    }
  }
  return counts
}

/** One very large level must not make all others look alike, so the upper code is not the largest one. */
export function autoContrast(counts: Uint32Array): Contrast {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return { low: 1, high: 1 + LEAST_RANGE }
  const low = codeAtShare(counts, total * LOW_SHARE)
  return { low, high: Math.min(CODES - 1, Math.max(codeAtShare(counts, total * HIGH_SHARE), low + LEAST_RANGE)) }
}

/** The smallest code with at least `wanted` cells up to it. */
function codeAtShare(counts: Uint32Array, wanted: number): number {
  let seen = 0
  for (let code = 1; code < CODES; code++) {
    seen += counts[code] ?? 0
    if (seen >= wanted) return code
  }
  return CODES - 1
}
