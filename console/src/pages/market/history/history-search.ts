import { SPEEDS, type Speed } from '../../../data/history/speeds.ts'

/** The view of the history, as the address has it: times in epoch milliseconds. */
export interface HistorySearch {
  /** The range that is shown; its end is not included. */
  readonly from?: number
  readonly to?: number
  /** The playhead. */
  readonly at?: number
  readonly speed?: Speed
}

const EARLIEST_MS = Date.UTC(2020)
const END_MS = Date.UTC(2100)

/** Reads the view from the address; a wrong value is left out. */
export function readHistorySearch(search: Record<string, unknown>): HistorySearch {
  const [from, to, at] = [search.from, search.to, search.at].map(timeOf)
  const speed = SPEEDS.find((each) => each === search.speed)
  const isRange = from !== undefined && to !== undefined && from < to
  return {
    ...(isRange && { from, to }),
    ...(at !== undefined && { at }),
    ...(speed !== undefined && { speed }),
  }
}

/** Also as text that people can read, such as 2026-11-18T12:04:07.250Z. */
function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : value
  return typeof ms === 'number' && ms >= EARLIEST_MS && ms < END_MS ? Math.floor(ms) : undefined
}
