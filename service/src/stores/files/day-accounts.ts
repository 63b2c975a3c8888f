import { DAY_MS, type DayMarket, type GapCount, TOKENS } from '../../domain/day-file.ts'
import { GAP_COLUMNS, type Gap, isRowGap, readGap } from '../../domain/rows/gap.ts'
import { accountFor } from '../../domain/slot-accounting.ts'
import { type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import { atParam, columnList, readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { IN_MARKETS, marketsParam } from './day-markets.ts'

/** What the rows and gap records of a file are. */
export interface DayAccount {
  readonly rows: number
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** Slots without a row and without a gap record. */
  readonly unaccountedSlots: number
  readonly gaps: readonly GapCount[]
  /** Slots whose rows are in doubt. */
  readonly suspect: readonly MarketSlots[]
}

export interface MarketSlots extends SlotRange {
  readonly marketId: string
}

interface StoredSlots extends MarketSlots {
  readonly count: number
}

const IN_DAY = `${IN_MARKETS} AND slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')}`

const STORED = `
  SELECT market_id, min(slot), max(slot), uniqExact(slot) FROM snapshots WHERE ${IN_DAY} GROUP BY market_id`

const RUNS_BETWEEN_ROWS = `
  SELECT market_id, previous + 1, slot - 1
  FROM (
    SELECT market_id, slot, lagInFrame(slot, 1, 0)
      OVER (PARTITION BY market_id ORDER BY slot ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS previous
    FROM (SELECT DISTINCT market_id, slot FROM snapshots WHERE ${IN_DAY})
  )
  WHERE previous > 0 AND slot > previous + 1
  ORDER BY market_id, slot`

const GAPS = `
  SELECT ${columnList(GAP_COLUMNS)} FROM gaps
  WHERE ${IN_MARKETS} AND from_at < ${atParam('toMs')} AND (to_slot + 1) * interval_ms > {fromMs:Int64}
  ORDER BY market_id, from_slot, cause, kind, to_slot DESC LIMIT 1 BY market_id, from_slot, cause, kind`

/** Counts the rows of the markets on a day, and explains the slots that have none. */
export async function accountForDay(
  client: ClickHouseReads,
  markets: readonly DayMarket[],
  dayMs: number,
  signal: AbortSignal,
): Promise<DayAccount> {
  const params = {
    markets: marketsParam(markets.map(({ marketId }) => marketId)),
    fromMs: dayMs,
    toMs: dayMs + DAY_MS,
  }
  const [stored, runs, records] = await Promise.all([
    readRows(client, (reader): StoredSlots => ({ ...readSlots(reader), count: reader.uint64() }), {
      sql: STORED,
      params,
      signal,
    }),
    readRows(client, readSlots, { sql: RUNS_BETWEEN_ROWS, params, signal }),
    readRows(client, readGap, { sql: GAPS, params, signal }),
  ])
  const storedOf = new Map(stored.map((each) => [each.marketId, each]))
  const runsOf = Map.groupBy(runs, ({ marketId }) => marketId)
  const gapsOf = Map.groupBy(records.filter(isRowGap), ({ marketId }) => marketId)
  const accounts = markets.map((market) => {
    const { marketId, intervalMs } = market
    const gaps = (gapsOf.get(marketId) ?? []).filter((gap) => gap.intervalMs === intervalMs)
    const range = expectedSlots(market, gaps, dayMs)
    const missing = withEdges(range, storedOf.get(marketId), runsOf.get(marketId) ?? [])
    return accountFor(range, missing, gaps)
  })
  const gaps = accounts.flatMap((account) => account.gaps)
  const intervals = new Map(markets.map(({ marketId, intervalMs }) => [marketId, intervalMs]))
  const timeAt = (marketId: string, slot: number): number => slot * (intervals.get(marketId) ?? 0)
  return {
    rows: TOKENS * stored.reduce((sum, { count }) => sum + count, 0),
    firstAtMs: Math.min(...stored.map(({ marketId, fromSlot }) => timeAt(marketId, fromSlot))),
    lastAtMs: Math.max(...stored.map(({ marketId, toSlot }) => timeAt(marketId, toSlot))),
    unaccountedSlots: accounts.reduce((sum, { unaccountedSlots }) => sum + unaccountedSlots, 0),
    gaps: countByCause(gaps),
    suspect: gaps.filter(({ kind }) => kind === 'suspect'),
  }
}

function readSlots(reader: { hexBytes(count: number): string; uint64(): number }): MarketSlots {
  return { marketId: reader.hexBytes(32), fromSlot: reader.uint64(), toSlot: reader.uint64() }
}

/** The slots of the day from the first to the last one with a row or a gap record. */
function expectedSlots({ firstSlot, lastSlot, intervalMs }: DayMarket, gaps: readonly Gap[], dayMs: number): SlotRange {
  const day = slotsIn({ fromMs: dayMs, toMs: dayMs + DAY_MS }, intervalMs)
  const first = gaps.reduce((least, { fromSlot }) => Math.min(least, fromSlot), firstSlot)
  const last = gaps.reduce((most, { toSlot }) => Math.max(most, toSlot), lastSlot)
  return { fromSlot: Math.max(day.fromSlot, first), toSlot: Math.min(day.toSlot, last) }
}

function withEdges(range: SlotRange, stored: SlotRange | undefined, between: readonly SlotRange[]): SlotRange[] {
  if (stored === undefined) return [range]
  const before = { fromSlot: range.fromSlot, toSlot: stored.fromSlot - 1 }
  const after = { fromSlot: stored.toSlot + 1, toSlot: range.toSlot }
  return [before, ...between, after].filter((run) => slotCount(run) > 0)
}

function countByCause(gaps: readonly Gap[]): GapCount[] {
  const groups = Map.groupBy(gaps, ({ cause, kind }) => `${kind} ${cause}`)
  return [...groups.keys()].toSorted().flatMap((name) => {
    const members = groups.get(name) ?? []
    const [first] = members
    const slots = members.reduce((sum, gap) => sum + slotCount(gap), 0)
    return first === undefined ? [] : [{ cause: first.cause, kind: first.kind, gaps: members.length, slots }]
  })
}
