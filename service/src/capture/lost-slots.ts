import type { Gap } from '../domain/rows/gap.ts'

interface LostRange {
  fromSlot: number
  toSlot: number
  intervalMs: number
}

/** Slots of rows that could not be published, as ranges; a range that grows keeps its first slot. */
export class LostSlots {
  readonly #ranges = new Map<string, LostRange>()
  readonly #changed = new Set<string>()
  #unpublished: [marketId: string, range: LostRange][] = []

  note({ marketId, slot, intervalMs }: { marketId: string; slot: number; intervalMs: number }): void {
    const range = this.#ranges.get(marketId)
    if (range !== undefined && slot === range.toSlot + 1) range.toSlot = slot
    else {
      // Many batches may be lost before the next gap records can be published.
      if (range !== undefined && this.#changed.has(marketId)) this.#unpublished.push([marketId, range])
      this.#ranges.set(marketId, { fromSlot: slot, toSlot: slot, intervalMs })
    }
    this.#changed.add(marketId)
  }

  /** The gap records of every range that changed since the last call. */
  take(nowMs: number, detail: string): Gap[] {
    for (const marketId of this.#changed) {
      const range = this.#ranges.get(marketId)
      if (range !== undefined) this.#unpublished.push([marketId, range])
    }
    const gaps = this.#unpublished.map(([marketId, range]): Gap => {
      const knownAtSlot = Math.max(range.toSlot, Math.floor(nowMs / range.intervalMs))
      return { marketId, ...range, knownAtSlot, cause: 'bus_unavailable', kind: 'missing', detail }
    })
    this.#changed.clear()
    this.#unpublished = []
    return gaps
  }
}
