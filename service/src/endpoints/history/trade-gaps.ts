import { z } from 'zod'
import { type StoredGap, TRADES_KIND } from '../../domain/rows/gap.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { Cause } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

/** In one answer. A page over a long time with few rows may have far more. */
const MOST_GAPS = 1_000
const SHARE_DIGITS = 1_000_000

/** Rows are missing for these causes although every frame was received: the trades of that time are complete. */
const KEEP_TRADES: ReadonlySet<string> = new Set(['late_slot', 'clock_step'])

/** A trade is told some time after it happened, and a gap of rows starts at the first slot after the loss. */
export const TOLD_WITHIN_MS = 2_000

const TradeGapEntry = z
  .object({
    from: Instant.describe('trades from here on may be missing'),
    to: Instant.describe('not included'),
    cause: Cause,
    known_at: Instant.describe('when the loss was found'),
  })
  .meta({ id: 'TradeGap' })
type TradeGapEntry = z.infer<typeof TradeGapEntry>

/** How complete the trades of a time are. How many trades are missing is never known. */
const TradeCoverage = z
  .object({
    from: Instant.nullable().describe('start of the time that the page is about'),
    to: Instant.nullable().describe('not included'),
    uncertain_ms: z.int().describe('milliseconds in which trades may be missing'),
    share: z
      .number()
      .nullable()
      .describe('share of the time in which no trade can be missing, rounded down; null when the page has no time'),
  })
  .meta({ id: 'TradeCoverage' })
type TradeCoverage = z.infer<typeof TradeCoverage>

/** The members of a page of trades or contexts that say where rows may be missing. */
export const doubtMembers = (rows: string) => ({
  gaps: z
    .array(TradeGapEntry)
    .describe(
      `times of this page in which ${rows} may be missing, the first ${MOST_GAPS.toLocaleString('en')}; \`cause\` says why, such as a lost connection`,
    ),
  gaps_left_out: z
    .int()
    .optional()
    .describe('how many more such times the page has, only when there are more; ask for a shorter range to see them'),
  coverage: TradeCoverage.describe('of the time of this page'),
})
export type Doubt = z.infer<z.ZodObject<ReturnType<typeof doubtMembers>>>

const NO_TRADE_COVERAGE: TradeCoverage = { from: null, to: null, uncertain_ms: 0, share: null }

export const NO_DOUBT: Doubt = { gaps: [], coverage: NO_TRADE_COVERAGE }

interface UncertainTime extends TimeRange {
  readonly cause: string
  readonly knownAtMs: number
}

/** Where rows may be missing in the time of a page; all of it counts, also what is not listed. */
export function doubtOf(records: readonly StoredGap[], time: TimeRange): Doubt {
  const times = uncertainTimes(records, time)
  const leftOut = times.length - MOST_GAPS
  return {
    gaps: times.slice(0, MOST_GAPS).map(tradeGapEntryOf),
    ...(leftOut > 0 && { gaps_left_out: leftOut }),
    coverage: tradeCoverageOf(time, times),
  }
}

/** When trades may be missing in the range: the gaps of trades, and those gaps of rows whose cause also costs trades. */
function uncertainTimes(records: readonly StoredGap[], { fromMs, toMs }: TimeRange): UncertainTime[] {
  const times = records
    .filter(({ kind, cause }) => kind === TRADES_KIND || !KEEP_TRADES.has(cause))
    .map((gap): UncertainTime => {
      const { fromSlot, toSlot, knownAtSlot, intervalMs, cause, kind } = gap
      const earlierMs = kind === TRADES_KIND ? 0 : intervalMs + TOLD_WITHIN_MS
      return {
        fromMs: Math.max(fromMs, slotTimeMs(fromSlot, intervalMs) - earlierMs),
        toMs: Math.min(toMs, slotTimeMs(toSlot + 1, intervalMs)),
        cause,
        knownAtMs: slotTimeMs(knownAtSlot, intervalMs),
      }
    })
    .filter((time) => time.fromMs < time.toMs)
  return [...Map.groupBy(times, ({ cause }) => cause).values()]
    .flatMap(joined)
    .toSorted((one, other) => one.fromMs - other.fromMs || (one.cause < other.cause ? -1 : 1))
}

function tradeGapEntryOf({ fromMs, toMs, cause, knownAtMs }: UncertainTime): TradeGapEntry {
  return { from: instantOf(fromMs), to: instantOf(toMs), cause, known_at: instantOf(knownAtMs) }
}

function tradeCoverageOf({ fromMs, toMs }: TimeRange, times: readonly UncertainTime[]): TradeCoverage {
  const uncertainMs = joined(times).reduce((sum, time) => sum + time.toMs - time.fromMs, 0)
  const allMs = toMs - fromMs
  if (allMs <= 0) return NO_TRADE_COVERAGE
  const share = Math.floor(((allMs - uncertainMs) / allMs) * SHARE_DIGITS) / SHARE_DIGITS
  return { from: instantOf(fromMs), to: instantOf(toMs), uncertain_ms: Math.round(uncertainMs), share }
}

/** Times that overlap or touch become one, known since the first of them was. */
function joined(times: readonly UncertainTime[]): UncertainTime[] {
  const result: UncertainTime[] = []
  for (const time of times.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = result.at(-1)
    if (last === undefined || time.fromMs > last.toMs) result.push(time)
    else
      result[result.length - 1] = {
        ...last,
        toMs: Math.max(last.toMs, time.toMs),
        knownAtMs: Math.min(last.knownAtMs, time.knownAtMs),
      }
  }
  return result
}
