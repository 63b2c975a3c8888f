import { accountFor, type SlotAccounting } from '../../domain/slot-accounting.ts'
import { type SlotRange, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { MarketDay } from '../../stores/books/market-days.ts'
import type { Stores } from '../stores.ts'
import type { FoundMarket } from './found-market.ts'

/** Gap records may start before the market was listed. */
const BEFORE_FIRST_SEEN_MS = 86_400_000

/** From the first to the last slot with a row or a gap, as far back as rows are kept; undefined when there is none. */
export async function recordedRange(
  { marketDays, gaps, storedSince }: Pick<Stores, 'marketDays' | 'gaps' | 'storedSince'>,
  market: FoundMarket,
  nowMs: number,
): Promise<TimeRange | undefined> {
  return (await recordedDays({ marketDays, gaps, storedSince }, market, { nowMs, areRowsWanted: false })).known
}

/** What is recorded of a market: its range, the gap records and, when they are wanted, the rows of each day. */
export async function recordedDays(
  { marketDays, gaps, storedSince }: Pick<Stores, 'marketDays' | 'gaps' | 'storedSince'>,
  { id: marketId, captureIntervalMs: intervalMs, firstSeenAtMs }: FoundMarket,
  { nowMs, areRowsWanted }: { readonly nowMs: number; readonly areRowsWanted: boolean },
) {
  const [storedFromMs, days, spans, records] = await Promise.all([
    storedSince.of('snapshots', nowMs),
    areRowsWanted ? marketDays.days(marketId) : [],
    areRowsWanted ? [] : marketDays.spans(marketId),
    gaps.range({ marketId, intervalMs, fromMs: firstSeenAtMs - BEFORE_FIRST_SEEN_MS, toMs: nowMs }),
  ])
  return { known: rangeOf({ spans: [...days, ...spans], records, intervalMs, storedFromMs }), days, gaps: records }
}

interface RecordedParts {
  readonly spans: readonly Pick<MarketDay, 'intervalMs' | 'firstSlot' | 'lastSlot'>[]
  readonly records: readonly SlotRange[]
  readonly intervalMs: number
  readonly storedFromMs: number
}

function rangeOf({ spans, records, intervalMs, storedFromMs }: RecordedParts): TimeRange | undefined {
  const known = [
    ...spans
      .filter((span) => span.intervalMs === intervalMs)
      .map(({ firstSlot, lastSlot }) => ({ fromSlot: firstSlot, toSlot: lastSlot })),
    ...records,
  ]
  if (known.length === 0) return undefined
  const fromMs = known.reduce((first, { fromSlot }) => Math.min(first, fromSlot), Infinity) * intervalMs
  const toMs = (known.reduce((last, { toSlot }) => Math.max(last, toSlot), 0) + 1) * intervalMs
  // Gap records are kept longer than rows.
  return toMs <= storedFromMs ? undefined : { fromMs: Math.max(fromMs, storedFromMs), toMs }
}

/** Why nothing of a market is recorded: it ended before the time that is still kept, or it was never recorded. */
export async function whyNothing(
  { storedSince }: Pick<Stores, 'storedSince'>,
  { endsAtMs }: Pick<FoundMarket, 'endsAtMs'>,
  nowMs: number,
): Promise<'retention' | 'not_recorded_yet'> {
  return endsAtMs < (await storedSince.of('snapshots', nowMs)) ? 'retention' : 'not_recorded_yet'
}

/** Why a range outside what is recorded has nothing: its rows are no longer kept, or there were none. */
export async function whyOutside(
  { storedSince }: Pick<Stores, 'storedSince'>,
  { toMs }: Pick<TimeRange, 'toMs'>,
  nowMs: number,
): Promise<'retention' | 'outside_capture'> {
  return toMs <= (await storedSince.of('snapshots', nowMs)) ? 'retention' : 'outside_capture'
}

/** How many slots of a market are stored and missing in a range, and why. */
export async function accountForSlots(
  { gaps, missingSlots }: Pick<Stores, 'gaps' | 'missingSlots'>,
  { id: marketId, captureIntervalMs: intervalMs }: Pick<FoundMarket, 'id' | 'captureIntervalMs'>,
  { fromMs, toMs }: TimeRange,
  signal: AbortSignal,
): Promise<SlotAccounting> {
  const range = { marketId, intervalMs, fromMs, toMs }
  const [runs, records] = await Promise.all([missingSlots.runs(range, signal), gaps.range(range)])
  return accountFor(slotsIn(range, intervalMs), runs, records)
}
