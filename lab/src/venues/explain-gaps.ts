import type { Behaviour } from '@bookreel/simulator/world/behaviours'

/** One entry of the simulator's oracle. */
export interface Deed {
  readonly atMs: number
  readonly fault: string
  readonly market?: string
  readonly connection?: string
  /** All markets of the connection at that time. */
  readonly markets?: readonly string[]
}

export interface RecordedGap {
  readonly market: string
  readonly cause: string
  readonly intervalMs: number
  readonly fromMs: number
  readonly toMs: number
}

/** What makes the hash of one market wrong. */
const OF_HASHES: readonly Behaviour[] = [
  'hash-ahead',
  'unannounced-trade-prices',
  'unexplained-hashes',
  'tick-in-hash-first',
]
/** What closes a socket. A stall is shorter than any limit of the recorder, so it closes none. */
const OF_CLOSES: readonly Behaviour[] = ['delivery-limits', 'close-when-all-resolved']
/** From the deed to the first missing slot: a hash is judged, or a closed socket is noticed, within this time. */
const NOTICED_WITHIN_MS = 10_000
/** A late socket is found by its median, and a market leaves it half a minute later at the latest. */
const MOVED_WITHIN_MS = 60_000
/** The recorder puts the start of a gap at the last slot that it is sure of, which is before the deed. */
const STARTS_BEFORE_MS = 10_000

interface Explanation {
  readonly faults: readonly Behaviour[]
  readonly withinMs: number
}

const CAUSES: Readonly<Record<string, Explanation>> = {
  disconnected: { faults: OF_CLOSES, withinMs: NOTICED_WITHIN_MS },
  venue_silent: { faults: ['delivery-limits'], withinMs: NOTICED_WITHIN_MS },
  resync: { faults: ['socket-stalls', 'delivery-limits', ...OF_HASHES], withinMs: MOVED_WITHIN_MS },
  hash_mismatch: { faults: OF_HASHES, withinMs: NOTICED_WITHIN_MS },
}
/** Causes that lie in the recorder, its machine or the listing, about which the oracle knows nothing. */
const NOT_OF_THE_VENUE = new Set([
  'not_listed_yet',
  'late_slot',
  'capturer_down',
  'capturer_overloaded',
  'bus_unavailable',
  'clock_step',
])

/** The gaps whose cause no entry of the oracle implies for that market, or for the socket that delivered it. */
export function falseGaps(gaps: readonly RecordedGap[], deeds: readonly Deed[]): RecordedGap[] {
  const byFault = Map.groupBy(deeds, ({ fault }) => fault)
  return gaps.filter((gap) => {
    if (NOT_OF_THE_VENUE.has(gap.cause)) return false
    const { faults, withinMs } = CAUSES[gap.cause] ?? { faults: [], withinMs: 0 }
    return !faults.some((fault) => byFault.get(fault)?.some((deed) => explains(deed, gap, withinMs)))
  })
}

function explains({ atMs, market, markets }: Deed, gap: RecordedGap, withinMs: number): boolean {
  if (market !== gap.market && markets?.includes(gap.market) !== true) return false
  return atMs >= gap.fromMs - withinMs && atMs <= gap.fromMs + STARTS_BEFORE_MS
}

export function slotsOf(gaps: readonly Pick<RecordedGap, 'fromMs' | 'toMs' | 'intervalMs'>[]): number {
  return gaps.reduce((sum, { fromMs, toMs, intervalMs }) => sum + Math.round((toMs - fromMs) / intervalMs), 0)
}
