import type { Gap } from './rows/gap.ts'
import type { SlotRange } from './slot-range.ts'

/** Rows of one market in one hour. */
export interface HourOfMarket {
  readonly marketId: string
  readonly intervalMs: number
  readonly hourMs: number
  readonly stored: number
  readonly firstSlot: number
  readonly lastSlot: number
}

/** What is recorded of one market, without the rows themselves. */
export interface MarketHours {
  readonly marketId: string
  readonly intervalMs: number
  readonly hours: readonly HourOfMarket[]
  readonly gaps: readonly Gap[]
  /** Slots of the hours, from the first to the last with a row, and of the gaps. */
  readonly spans: readonly SlotRange[]
}

export function hoursByMarket(hours: readonly HourOfMarket[], gaps: readonly Gap[]): MarketHours[] {
  const hoursBy = Map.groupBy(hours, keyOf)
  const gapsBy = Map.groupBy(gaps, keyOf)
  return [...new Set([...hoursBy.keys(), ...gapsBy.keys()])].flatMap((key) => {
    const [ofHours, ofGaps] = [hoursBy.get(key) ?? [], gapsBy.get(key) ?? []]
    const known = ofHours[0] ?? ofGaps[0]
    if (known === undefined) return []
    const spans = [...ofHours.map(({ firstSlot, lastSlot }) => ({ fromSlot: firstSlot, toSlot: lastSlot })), ...ofGaps]
    return [{ marketId: known.marketId, intervalMs: known.intervalMs, hours: ofHours, gaps: ofGaps, spans }]
  })
}

function keyOf({ marketId, intervalMs }: { readonly marketId: string; readonly intervalMs: number }): string {
  return `${marketId} ${intervalMs}`
}
