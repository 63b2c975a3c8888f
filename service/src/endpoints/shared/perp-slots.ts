import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { EndpointRequest } from '../endpoint.ts'

/** From the first to the last slot of a perp with a row or a gap; undefined when there is none. */
export async function recordedPerp(
  {
    perps,
    stores: { storedSince },
    nowMs,
  }: Pick<EndpointRequest<unknown, unknown, unknown>, 'perps' | 'stores' | 'nowMs'>,
  perp: { readonly venue: string; readonly symbol: string },
): Promise<TimeRange | undefined> {
  const [slots, storedFromMs] = await Promise.all([perps.recordedSlots(perp), storedSince.of('perp_snapshots', nowMs)])
  if (slots === undefined) return undefined
  const endMs = (slots.toSlot + 1) * PERP_INTERVAL_MS
  // After the last row there may be a gap that goes on. Rows of a suspect gap may not be stored yet.
  const later = await perps.gaps({ ...perp, fromMs: endMs, toMs: nowMs })
  const missing = later.filter(({ kind }) => kind === 'missing')
  const toMs = missing.reduce((last, { toSlot }) => Math.max(last, (toSlot + 1) * PERP_INTERVAL_MS), endMs)
  return { fromMs: Math.max(storedFromMs, slots.fromSlot * PERP_INTERVAL_MS), toMs }
}
