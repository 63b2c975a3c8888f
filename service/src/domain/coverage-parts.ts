import { HOUR_MS, newestFinishedHourMs } from './finished-hour.ts'
import type { Gap } from './rows/gap.ts'
import { coveredBy } from './slot-accounting.ts'
import { type SlotRange, slotCount, slotsIn, timeOf } from './slot-range.ts'
import { overlapOf, type TimeRange } from './time-range.ts'

/** `pending`: rows and gap records of this time may still come. */
export const CONDITIONS = ['available', 'degraded', 'missing', 'pending'] as const
export type Condition = (typeof CONDITIONS)[number]

/** How complete one hour or day of a market is. */
export interface CoveragePart {
  readonly startMs: number
  readonly expected: number
  readonly stored: number
  /** Slots with a row in doubt. */
  readonly suspect: number
  readonly condition: Condition
  /** Slots that the gap records of each cause cover. */
  readonly causes: Readonly<Record<string, number>>
}

export type CoverageFigures = Omit<CoveragePart, 'startMs' | 'condition'>

export interface CoverageInput {
  readonly partMs: number
  readonly intervalMs: number
  /** What is recorded of the requested time. */
  readonly range: TimeRange
  /** Slots with a row, by the start of their part. */
  readonly stored: ReadonlyMap<number, number>
  /** Those that touch the range. */
  readonly gaps: readonly Gap[]
  readonly nowMs: number
}

/** The hours or days of a range, in order. Nothing is expected outside of the range. */
export function coverageParts({ partMs, intervalMs, range, stored, gaps, nowMs }: CoverageInput): CoveragePart[] {
  const finishedToMs = newestFinishedHourMs(nowMs) + HOUR_MS
  const parts: CoveragePart[] = []
  for (let startMs = Math.floor(range.fromMs / partMs) * partMs; startMs < range.toMs; startMs += partMs) {
    const time = overlapOf({ fromMs: startMs, toMs: startMs + partMs }, range)
    if (time === undefined) continue
    const figures = figuresOf({ intervalMs, range: time, stored: stored.get(startMs) ?? 0, gaps })
    if (figures.expected === 0) continue
    const isFinal = startMs + partMs <= finishedToMs
    parts.push({ startMs, ...figures, condition: isFinal ? conditionOf(figures) : 'pending' })
  }
  return parts
}

interface FiguresInput extends Pick<CoverageInput, 'intervalMs' | 'range' | 'gaps'> {
  /** Slots with a row. */
  readonly stored: number
}

/** How complete a range is that was recorded from its start to its end. */
export function figuresOf({ intervalMs, range, stored, gaps }: FiguresInput): CoverageFigures {
  const slots = slotsIn(range, intervalMs)
  const touching = gaps.flatMap((gap) => cut(gap, slots))
  const suspect = coveredBy(touching.filter(({ kind }) => kind === 'suspect'))
  return { expected: slotCount(slots), stored, suspect, causes: slotsByCause(touching) }
}

/** The part of a range from the first to the last slot with a row or a gap; there is no hole between them. */
export function recordedPart(known: readonly SlotRange[], intervalMs: number, range: TimeRange): TimeRange | undefined {
  const fromSlot = known.reduce((first, each) => Math.min(first, each.fromSlot), Infinity)
  const toSlot = known.reduce((last, each) => Math.max(last, each.toSlot), 0)
  return overlapOf(range, timeOf({ fromSlot, toSlot }, intervalMs))
}

/** Of a time to which nothing is added any more. */
export function conditionOf({
  expected,
  stored,
  suspect,
}: Pick<CoveragePart, 'expected' | 'stored' | 'suspect'>): Exclude<Condition, 'pending'> {
  if (stored === 0) return 'missing'
  return stored < expected || suspect > 0 ? 'degraded' : 'available'
}

function cut(gap: Gap, { fromSlot, toSlot }: SlotRange): Gap[] {
  const part = { ...gap, fromSlot: Math.max(gap.fromSlot, fromSlot), toSlot: Math.min(gap.toSlot, toSlot) }
  return part.fromSlot <= part.toSlot ? [part] : []
}

function slotsByCause(gaps: readonly Gap[]): Record<string, number> {
  const byCause = Map.groupBy(gaps, ({ cause }) => String(cause))
  return Object.fromEntries([...byCause].map(([cause, of]) => [cause, coveredBy(of)]))
}
