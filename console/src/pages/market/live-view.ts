import type { HeatMapData } from '../../views/heat-map/heat-map-data.ts'
import { HeatViewport } from '../../views/heat-map/heat-viewport.ts'
import { contrastOf, type MarketSearch } from './market-search.ts'

export const USUAL_SPAN_MINUTES = 15
const MINUTE_MS = 60_000
const LIMITS = { leastMs: MINUTE_MS, mostMs: 240 * MINUTE_MS }

/** The view of a live map as the address has it. */
export function newLiveView(
  { nowMs, levels: [form] }: HeatMapData,
  { span = USUAL_SPAN_MINUTES, contrast }: MarketSearch,
): HeatViewport {
  const range = { fromMs: nowMs - span * MINUTE_MS, toMs: nowMs, isFollowing: true }
  const view = new HeatViewport(range, { ...LIMITS, rows: form?.rows ?? 0 })
  view.contrast = contrastOf(contrast)
  return view
}
