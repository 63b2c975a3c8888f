import type { LiveColumnsForm } from './live-columns.ts'

const FREE_FROM_SLOTS = 4
const FREE_FROM_MS = 1_000
const MOST_SLOTS = 256
const LEVELS = 5

/**
 * The finest level first; each column of a level is as long as two of the level before. The finest one is the finest
 * whose tiles are free, so that a reload shows what was drawn live.
 */
export function levelsOf(form: Omit<LiveColumnsForm, 'slotsPerColumn'>): LiveColumnsForm[] {
  let slotsPerColumn = FREE_FROM_SLOTS
  while (slotsPerColumn * form.intervalMs < FREE_FROM_MS) slotsPerColumn *= 2
  const levels: LiveColumnsForm[] = []
  for (let slots = slotsPerColumn; slots <= MOST_SLOTS && levels.length < LEVELS; slots *= 2)
    levels.push({ ...form, slotsPerColumn: slots })
  return levels
}

export function columnMsOf({ intervalMs, slotsPerColumn }: LiveColumnsForm): number {
  return intervalMs * slotsPerColumn
}

/** The first level at which a column is at least one pixel wide. */
export function levelFor(levels: readonly LiveColumnsForm[], spanMs: number, widthPx: number): number {
  const fitting = levels.findIndex((form) => spanMs / columnMsOf(form) <= widthPx)
  return fitting === -1 ? levels.length - 1 : fitting
}
