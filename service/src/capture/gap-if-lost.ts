import { TRADES_KIND, type TradeGap } from '../domain/rows/gap.ts'
import { slotAt } from '../domain/slot.ts'

export interface Told {
  readonly marketId: string
  readonly happenedAtMs: number
  readonly receivedAtMs: number
}

/** The record to write if what was told can't be published, together with what was told before it. */
export function gapIfLost(
  { marketId, happenedAtMs, receivedAtMs }: Told,
  intervalMs: number,
  known: TradeGap | undefined,
): TradeGap {
  const [fromSlot, toSlot] = [happenedAtMs, receivedAtMs]
    .map((atMs) => slotAt(atMs, intervalMs))
    .toSorted((a, b) => a - b)
  return {
    marketId,
    fromSlot: Math.min(fromSlot ?? 0, known?.fromSlot ?? Number.POSITIVE_INFINITY),
    toSlot: Math.max(toSlot ?? 0, known?.toSlot ?? 0),
    knownAtSlot: Math.max(toSlot ?? 0, known?.toSlot ?? 0),
    cause: 'bus_unavailable',
    kind: TRADES_KIND,
    intervalMs,
    detail: 'the trades could not be published',
  }
}
