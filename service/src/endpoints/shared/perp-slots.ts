import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { Stores } from '../stores.ts'

/** From the first to the last slot of a perp with a row or a gap; undefined when there is none. */
export async function recordedPerp(
  { perps, gaps, storedSince }: Pick<Stores, 'perps' | 'gaps' | 'storedSince'>,
  perp: { readonly venue: string; readonly symbol: string },
  nowMs: number,
): Promise<TimeRange | undefined> {
  const [slots, storedFromMs] = await Promise.all([perps.recordedSlots(perp), storedSince.of('perp_snapshots', nowMs)])
  if (slots === undefined) return undefined
  const endMs = (slots.toSlot + 1) * PERP_INTERVAL_MS
  const marketId = perpMarketId(perp.venue, perp.symbol)
  // After the last row there may be a gap that goes on. Rows of a suspect gap may not be stored yet.
  const later = await gaps.range({ marketId, intervalMs: PERP_INTERVAL_MS, fromMs: endMs, toMs: nowMs })
  const missing = later.filter(({ kind }) => kind === 'missing')
  const toMs = missing.reduce((last, { toSlot }) => Math.max(last, (toSlot + 1) * PERP_INTERVAL_MS), endMs)
  return { fromMs: Math.max(storedFromMs, slots.fromSlot * PERP_INTERVAL_MS), toMs }
}
