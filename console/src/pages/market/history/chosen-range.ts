import type { GapReport } from '@bookreel/sdk'
import { slotTime } from '../../../data/history/steps.ts'
import type { HistorySearch } from './history-search.ts'

export interface Span {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
}

const MINUTE_MS = 60_000
const USUAL_MS = 60 * MINUTE_MS
/** A shorter range has too few slots to play, and a longer one costs more than anybody wants to spend by one click. */
export const LEAST_RANGE_MS = 10_000
export const MOST_RANGE_MS = 24 * 60 * MINUTE_MS
/** The oldest time of a tier moves on. A request for what is just included could be refused when it arrives. */
const LEAVES_SOON_MS = 10 * MINUTE_MS

/** What can be looked at: what is recorded and included in the tier; undefined when that is nothing. */
export function recordedSpan(report: GapReport): Span | undefined {
  const { recorded_from: from, recorded_to: to, history_from: included } = report
  if (from === null || to === null) return undefined
  const fromMs = Math.max(Date.parse(from), included === undefined ? 0 : Date.parse(included) + LEAVES_SOON_MS)
  const toMs = Date.parse(to)
  return fromMs < toMs ? { fromMs, toMs } : undefined
}

/** The range of the address, or the last hour, within what is recorded. */
export function chosenRange(search: HistorySearch, recorded: Span): Span {
  const { from, to, at } = search
  if (from !== undefined && to !== undefined) return within({ fromMs: from, toMs: to }, recorded)
  const middleMs = at ?? recorded.toMs
  const toMs = Math.min(recorded.toMs, middleMs + USUAL_MS / 2)
  return within({ fromMs: toMs - USUAL_MS, toMs }, recorded)
}

/** A range of the same length within what is recorded, as far as it is that long; whole milliseconds. */
export function within({ fromMs, toMs }: Span, recorded: Span): Span {
  const wanted = Math.min(MOST_RANGE_MS, Math.max(LEAST_RANGE_MS, toMs - fromMs))
  const length = Math.min(wanted, recorded.toMs - recorded.fromMs)
  const start = Math.min(Math.max(fromMs, recorded.fromMs), recorded.toMs - length)
  return { fromMs: Math.round(start), toMs: Math.round(start + length) }
}

/** The playhead of the address, or the start of the range. */
export function chosenMoment({ at }: HistorySearch, range: Span, intervalMs: number): number {
  return slotTime(at ?? range.fromMs, { intervalMs, ...range })
}

const PART = 0.1

/** The range after an arrow key: moved, or with shift longer or shorter; undefined for other keys. */
export function rangeAfterKey(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  { fromMs, toMs }: Span,
): Span | undefined {
  const direction = { ArrowLeft: -1, ArrowRight: 1 }[key]
  if (direction === undefined) return undefined
  const stepMs = direction * PART * (toMs - fromMs)
  return { fromMs: shiftKey ? fromMs : fromMs + stepMs, toMs: toMs + stepMs }
}
