import { levelsOf } from '../views/heat-map/detail-levels.ts'
import type { LiveColumnsForm } from '../views/heat-map/live-columns.ts'
import { type MapStep, PRICE_STEPS } from './map-steps.ts'

/** The smallest size and the steps of the bytes of every market, as its tiles state them. */
const SCALE = { unit: 0.01, stepsPerOctave: 7 }

/** The levels of detail of the heat map of a market. No tile is read for them, so that no page waits for one. */
export function marketLevels(intervalMs: number, step: MapStep): LiveColumnsForm[] {
  const priceStep = Number(PRICE_STEPS[step])
  const rows = Math.round(1 / priceStep)
  return levelsOf({ intervalMs, rows, priceFrom: 0, priceStep, scale: SCALE, emptyBid: 0, emptyAsk: 1 })
}
