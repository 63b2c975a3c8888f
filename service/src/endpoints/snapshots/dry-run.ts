import { z } from 'zod'
import { slotCount } from '../../domain/slot-range.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { CaptureRange, RowCount } from '../../stores/books/snapshot-pages.ts'
import type { Answer } from '../endpoint.ts'
import { Coverage } from '../schemas/coverage.ts'
import { GapRecord, gapRecordOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'
import { coverageOf } from './coverage.ts'
import { gapsIn } from './read-page.ts'
import {
  rangeMembers,
  rangeMembersOf,
  requestedSlots,
  type SnapshotRequest,
  wholeRange,
  whyEmpty,
} from './requested-page.ts'

export const DryRun = z
  .object({
    dry_run: z.literal(true),
    rows: z.int().describe('token snapshots in the whole range'),
    calls: z.int().describe('calls with this limit that read all rows'),
    credits: z.int().describe('cost of these calls'),
    limit: z.int(),
    from: Instant.nullable().describe('first time in the range at which the market was recorded'),
    to: Instant.nullable().describe('end of the last slot in the range at which the market was recorded, not included'),
    gap_count: z.int(),
    gaps: z.array(GapRecord).describe('the first 100 gaps'),
    coverage: Coverage,
    ...rangeMembers,
  })
  .meta({ id: 'SnapshotDryRun' })
export type DryRun = z.infer<typeof DryRun>

const DAY_MS = 86_400_000
const GAPS_SHOWN = 100

/** The rows of the whole range and the cost of reading them. */
export async function dryRun(request: SnapshotRequest, creditsEach: number): Promise<Answer<DryRun>> {
  const { query, stores, nowMs } = request
  const slots = await requestedSlots(request)
  const { window, range } = slots
  const whole = wholeRange(range, nowMs)
  const [stored, gaps] = await Promise.all([countRows(stores, range, window), gapsIn(stores, whole)])
  const rows = stored.rowCount * (query.side === undefined ? 2 : 1)
  const calls = Math.max(1, Math.ceil(rows / query.limit))
  const coverage = coverageOf(whole, stored, gaps, window)
  const emptyReason = rows === 0 ? whyEmpty(slots, gaps) : undefined
  return {
    body: {
      dry_run: true,
      rows,
      calls,
      credits: calls * creditsEach,
      limit: query.limit,
      from: coverage.first,
      to: coverage.last_slot === null ? null : instantOf((coverage.last_slot + 1) * range.intervalMs),
      gap_count: gaps.length,
      gaps: gaps.slice(0, GAPS_SHOWN).map(gapRecordOf),
      coverage,
      ...rangeMembersOf(slots, emptyReason),
    },
    emptyReason,
    credits: 0,
  }
}

/** Whole days have a stored count; only rows before and after them are counted. */
async function countRows(
  { snapshotPages }: Pick<Stores, 'snapshotPages'>,
  range: CaptureRange,
  window: RecordedWindow | undefined,
): Promise<RowCount> {
  if (slotCount(range) === 0) return { rowCount: 0 }
  const whole = (window?.days ?? []).filter(
    ({ day }) => day * DAY_MS >= range.fromMs && (day + 2) * DAY_MS <= range.toMs,
  )
  const [first, last] = [whole[0], whole.at(-1)]
  if (first === undefined || last === undefined) return snapshotPages.count(range)
  const edges = [
    { ...range, toSlot: Math.min(range.toSlot, first.firstSlot - 1) },
    { ...range, fromSlot: Math.max(range.fromSlot, last.lastSlot + 1) },
  ].filter((edge) => slotCount(edge) > 0)
  const counted = await Promise.all(edges.map((edge) => snapshotPages.count(edge)))
  const stored = [...counted, ...whole].filter(({ rowCount }) => rowCount > 0)
  if (stored.length === 0) return { rowCount: 0 }
  return {
    rowCount: stored.reduce((sum, { rowCount }) => sum + rowCount, 0),
    firstSlot: Math.min(...stored.map(({ firstSlot = Infinity }) => firstSlot)),
    lastSlot: Math.max(...stored.map(({ lastSlot = 0 }) => lastSlot)),
  }
}
