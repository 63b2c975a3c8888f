import { setImmediate as othersRun, setTimeout as sleep } from 'node:timers/promises'
import { coverageParts, recordedPart } from '../domain/coverage-parts.ts'
import { type CoverageSum, CoverageSums } from '../domain/coverage-sums.ts'
import { HOUR_MS, newestFinishedHourMs } from '../domain/finished-hour.ts'
import { hoursByMarket } from '../domain/market-hours.ts'
import type { CoverageCounts } from '../stores/books/coverage-counts.ts'
import type { RecordedHourStore, RecordedHours } from '../stores/books/recorded-hours.ts'

export interface CoverageWork {
  readonly record: RecordedHourStore
  readonly counts: CoverageCounts
  readonly now: () => number
  readonly failed: (error: unknown) => void
}

const DAY_MS = 24 * HOUR_MS
const LOOK_EVERY_MS = 60_000
const MARKETS_AT_ONCE = 500
/** A market whose listing is not stored. */
const UNKNOWN = { venue: 'unknown', category: 'unknown' }

/** Counts the hours and days of all markets as they are finished. Several processes may do it at once: they save the same. */
export async function runCoverage(work: CoverageWork, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await countDueDays(work, signal).catch(work.failed)
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Returns how many days were counted. */
export async function countDueDays({ record, counts, now }: CoverageWork, signal: AbortSignal): Promise<number> {
  const fromMs = await record.oldestDayMs()
  if (fromMs === undefined) return 0
  const finishedToMs = newestFinishedHourMs(now()) + HOUR_MS
  const days = await counts.dueDays({ fromMs, finishedToMs, nowMs: now() })
  let counted = 0
  for (const dayMs of days) {
    if (signal.aborted) break
    const countedAtMs = now()
    const countedToMs = Math.min(dayMs + DAY_MS, finishedToMs)
    const sums = await sumsOf(
      await record.read({ fromMs: dayMs, toMs: dayMs + DAY_MS }),
      { fromMs: dayMs, toMs: countedToMs },
      countedAtMs,
    )
    await counts.save({ dayMs, countedToMs, countedAtMs, sums })
    counted++
  }
  return counted
}

/** Of the hours and of the day, by venue and category; hours that are not finished are left out. */
export async function sumsOf(
  { hours, gaps, kinds }: RecordedHours,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): Promise<CoverageSum[]> {
  const sums = new CoverageSums()
  const kindOf = new Map(kinds.map(({ marketId, venue, category }) => [marketId, { venue, category }]))
  let done = 0
  for (const market of hoursByMarket(hours, gaps)) {
    const { marketId, intervalMs } = market
    const range = recordedPart(market.spans, intervalMs, { fromMs, toMs })
    if (range === undefined) continue
    const stored = new Map(market.hours.map(({ hourMs, stored: count }) => [hourMs, count]))
    const kind = { ...(kindOf.get(marketId) ?? UNKNOWN), marketId }
    const input = { intervalMs, range, gaps: market.gaps, nowMs }
    for (const hour of coverageParts({ ...input, partMs: HOUR_MS, stored })) sums.add({ part: 'hour', ...kind }, hour)
    const ofDay = market.hours.filter(({ hourMs }) => hourMs < toMs).reduce((sum, each) => sum + each.stored, 0)
    for (const day of coverageParts({ ...input, partMs: DAY_MS, stored: new Map([[fromMs, ofDay]]) }))
      sums.add({ part: 'day', ...kind }, day)
    done++
    if (done % MARKETS_AT_ONCE === 0) await othersRun()
  }
  return sums.all()
}
