import { z } from 'zod'
import type { MarketDay } from '../../stores/books/market-days.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { RowCount, SlotRange } from '../../stores/books/snapshot-pages.ts'
import type { Answer } from '../endpoint.ts'
import { GapRecord, gapRecordOf } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'
import { recordedMarket, type SnapshotRequest, wholeRange, whyEmpty } from './answer-page.ts'
import { Coverage, coverageOf } from './coverage.ts'
import { gapsIn } from './read-page.ts'
import { askedRange } from './requested-range.ts'

export const DryRun = z
  .object({
    dry_run: z.literal(true),
    rows: z.int().describe('token snapshots in the whole range'),
    calls: z.int().describe('how many calls with this limit read them all'),
    credits: z.int().describe('what these calls cost together'),
    limit: z.int(),
    from: Instant.nullable().describe('first moment of the range in which the market was recorded'),
    to: Instant.nullable().describe('last moment of the range in which the market was recorded'),
    gap_count: z.int(),
    gaps: z.array(GapRecord).describe('the first 100'),
    coverage: Coverage,
    market_id: z.string(),
    history_from: Instant.optional().describe('the oldest moment that the tier includes, when `from` was left out'),
    empty_reason: z.string().optional().describe('why there is nothing'),
  })
  .meta({ id: 'SnapshotDryRun' })
export type DryRun = z.infer<typeof DryRun>

const DAY_MS = 86_400_000
const GAPS_SHOWN = 100

/** What the whole range holds and what reading all of it would cost. */
export async function dryRun(request: SnapshotRequest, creditsEach: number): Promise<Answer<DryRun>> {
  const { query, stores, nowMs } = request
  const { market, window } = await recordedMarket(request)
  const range = askedRange(request, market, window)
  const whole = wholeRange(range, nowMs)
  const [stored, gaps] = await Promise.all([countRows(stores, range, window), gapsIn(stores, whole)])
  const rows = stored.rowCount * (query.side === undefined ? 2 : 1)
  const calls = Math.max(1, Math.ceil(rows / query.limit))
  const found = { count: stored.rowCount, firstSlot: stored.firstSlot, lastSlot: stored.lastSlot }
  const coverage = coverageOf(whole, found, gaps, window)
  const emptyReason = rows === 0 ? whyEmpty(range, gaps, window) : undefined
  return {
    body: {
      dry_run: true,
      rows,
      calls,
      credits: calls * creditsEach,
      limit: query.limit,
      from: coverage.first,
      to: coverage.last,
      gap_count: gaps.length,
      gaps: gaps.slice(0, GAPS_SHOWN).map(gapRecordOf),
      coverage,
      market_id: market.id,
      ...(range.historyFromMs !== undefined && { history_from: instantOf(range.historyFromMs) }),
      ...(emptyReason !== undefined && { empty_reason: emptyReason }),
    },
    emptyReason,
    credits: 0,
  }
}

/** Days that lie in the range as a whole are counted already; only what is before and after them is looked through. */
async function countRows(
  { snapshotPages }: Pick<Stores, 'snapshotPages'>,
  range: SlotRange,
  window: RecordedWindow | undefined,
): Promise<RowCount> {
  if (range.fromSlot > range.toSlot) return { rowCount: 0 }
  const whole = (window?.days ?? []).filter(
    ({ day }) => day * DAY_MS >= range.fromMs && (day + 2) * DAY_MS <= range.toMs,
  )
  const [first, last] = [whole[0], whole.at(-1)]
  if (first === undefined || last === undefined) return snapshotPages.count(range)
  const edges = [
    { ...range, toSlot: Math.min(range.toSlot, first.firstSlot - 1) },
    { ...range, fromSlot: Math.max(range.fromSlot, last.lastSlot + 1) },
  ].filter(({ fromSlot, toSlot }) => fromSlot <= toSlot)
  const counted = await Promise.all(edges.map((edge) => snapshotPages.count(edge)))
  return joined([...counted, ...whole.map(countOf)])
}

function countOf({ rowCount, firstSlot, lastSlot }: MarketDay): RowCount {
  return { rowCount, firstSlot, lastSlot }
}

function joined(counts: readonly RowCount[]): RowCount {
  const stored = counts.filter(({ rowCount }) => rowCount > 0)
  if (stored.length === 0) return { rowCount: 0 }
  return {
    rowCount: stored.reduce((sum, { rowCount }) => sum + rowCount, 0),
    firstSlot: Math.min(...stored.map(({ firstSlot = Infinity }) => firstSlot)),
    lastSlot: Math.max(...stored.map(({ lastSlot = 0 }) => lastSlot)),
  }
}
