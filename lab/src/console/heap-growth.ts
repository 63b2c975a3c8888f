import { percentile } from '../percentile.ts'

/** What a page loads and keeps at first is no growth. */
const LAST_SHARE = 1 / 3

/** Of the last third: how much larger its last quarter is than its first one, each by its median. */
export function growthAtEnd(heap: readonly number[]): number {
  const last = heap.slice(-Math.max(2, Math.ceil(heap.length * LAST_SHARE)))
  const quarter = Math.max(1, Math.floor(last.length / 4))
  return percentile(last.slice(-quarter), 0.5) - percentile(last.slice(0, quarter), 0.5)
}
