import type { Gap } from '../domain/rows/gap.ts'

interface LostRange {
  fromSlot: number
  toSlot: number
  intervalMs: number
}

/** Rows that the bus never took, as ranges: neighbours join, and a range that grows keeps its beginning. */
export class LostSlots {
  readonly #ranges = new Map<string, LostRange>()
  readonly #changed = new Set<string>()
  #untold: [marketId: string, range: LostRange][] = []

  note({ marketId, slot, intervalMs }: { marketId: string; slot: number; intervalMs: number }): void {
    const range = this.#ranges.get(marketId)
    if (range !== undefined && slot === range.toSlot + 1) range.toSlot = slot
    else {
      // Many batches may be lost before anything can be told.
      if (range !== undefined && this.#changed.has(marketId)) this.#untold.push([marketId, range])
      this.#ranges.set(marketId, { fromSlot: slot, toSlot: slot, intervalMs })
    }
    this.#changed.add(marketId)
  }

  /** The records of every range that has changed since the last call. */
  take(nowMs: number, detail: string): Gap[] {
    for (const marketId of this.#changed) {
      const range = this.#ranges.get(marketId)
      if (range !== undefined) this.#untold.push([marketId, range])
    }
    const gaps = this.#untold.map(([marketId, range]): Gap => {
      const knownAtSlot = Math.max(range.toSlot, Math.floor(nowMs / range.intervalMs))
      return { marketId, ...range, knownAtSlot, cause: 'bus_unavailable', kind: 'missing', detail }
    })
    this.#changed.clear()
    this.#untold = []
    return gaps
  }
}
