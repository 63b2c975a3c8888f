import { type DayMarket, type GapCount, type MarketSpan, TOKENS } from '../../domain/day-file.ts'
import { GAP_COLUMNS, type Gap, isRowGap, readGap, type StoredGap, type TradeGap } from '../../domain/rows/gap.ts'
import { accountFor } from '../../domain/slot-accounting.ts'
import { NO_SLOTS, type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import { columnList, IN_MARKETS, readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { marketsParam } from './day-markets.ts'
import { dayParams, inDay } from './day-parquet.ts'
import type { DayAccount } from './file-subject.ts'

/** A market, with what is stored of its books around the day; without it only gap records of the day count. */
export type AccountedMarket = Pick<MarketSpan, 'marketId'> &
  Partial<Pick<MarketSpan, 'intervalMs' | 'firstSlot' | 'lastSlot'>>

/** What the rows and gap records of a market on a day are. */
export interface MarketAccount {
  readonly marketId: string
  readonly intervalMs: number
  /** The first and last slot with a row, and how many have one; undefined when none has. */
  readonly stored: StoredSlots | undefined
  /** Slots without a row and without a gap record. */
  readonly unaccountedSlots: number
  /** Cut to the day; where a row exists, a missing gap does not count. */
  readonly gaps: readonly Gap[]
  readonly tradeGaps: readonly TradeGap[]
}

interface MarketSlots extends SlotRange {
  readonly marketId: string
}

interface StoredSlots extends MarketSlots {
  readonly count: number
}

const IN_DAY = `${IN_MARKETS} AND ${inDay('slot_at')}`

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

/** A gap record with a slot of the day. */
export const TOUCHES_DAY = `from_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
  AND (to_slot + 1) * interval_ms > {fromMs:Int64}`

const GAPS = `
  SELECT ${columnList(GAP_COLUMNS)} FROM gaps
  WHERE ${IN_MARKETS} AND ${TOUCHES_DAY}
  ORDER BY market_id, from_slot, cause, kind, to_slot DESC LIMIT 1 BY market_id, from_slot, cause, kind`

/** Counts the rows of the markets on a day, and explains the slots that have none. */
export async function accountForDay(
  client: ClickHouseReads,
  markets: readonly DayMarket[],
  dayMs: number,
  signal: AbortSignal,
): Promise<DayAccount> {
  const accounts = await accountMarkets(client, markets, dayMs, signal)
  const times = accounts.flatMap(({ stored, intervalMs }) => (stored ? [timesOf(stored, intervalMs)] : []))
  return {
    rows: TOKENS * accounts.reduce((sum, { stored }) => sum + (stored?.count ?? 0), 0),
    firstAtMs: Math.min(...times.map(([first]) => first)),
    lastAtMs: Math.max(...times.map(([, last]) => last)),
    isComplete: isAccounted(accounts),
    gaps: countByCause(accounts.flatMap(({ gaps }) => gaps)),
  }
}

function timesOf({ fromSlot, toSlot }: SlotRange, intervalMs: number): readonly [number, number] {
  return [fromSlot * intervalMs, toSlot * intervalMs]
}

export function isAccounted(accounts: readonly MarketAccount[]): boolean {
  return accounts.every(({ unaccountedSlots }) => unaccountedSlots === 0)
}

/** What is stored of at most a thousand markets on a day. Those of which nothing is known are left out. */
export async function accountMarkets(
  client: ClickHouseReads,
  markets: readonly AccountedMarket[],
  dayMs: number,
  signal: AbortSignal,
): Promise<MarketAccount[]> {
  const params = { markets: marketsParam(markets.map(({ marketId }) => marketId)), ...dayParams(dayMs) }
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
  const recordsOf = Map.groupBy(records, ({ marketId }) => marketId)
  return markets.flatMap((market) => {
    const { marketId } = market
    const all = recordsOf.get(marketId) ?? []
    const intervalMs = market.intervalMs ?? all[0]?.intervalMs
    if (intervalMs === undefined) return []
    const own = all.filter((gap) => gap.intervalMs === intervalMs)
    const rowGaps = own.filter(isRowGap)
    const range = expectedSlots(market, rowGaps, daySlots(dayMs, intervalMs))
    const missing = withEdges(range, storedOf.get(marketId), runsOf.get(marketId) ?? [])
    const { gaps, unaccountedSlots } = accountFor(range, missing, rowGaps)
    const tradeGaps = tradeGapsIn(own, daySlots(dayMs, intervalMs))
    return [{ marketId, intervalMs, stored: storedOf.get(marketId), unaccountedSlots, gaps, tradeGaps }]
  })
}

export function daySlots(dayMs: number, intervalMs: number): SlotRange {
  return slotsIn(dayParams(dayMs), intervalMs)
}

/** Cut to the slots. */
export function tradeGapsIn(records: readonly StoredGap[], { fromSlot, toSlot }: SlotRange): TradeGap[] {
  return records.flatMap((gap) =>
    isRowGap(gap) ? [] : [{ ...gap, fromSlot: Math.max(gap.fromSlot, fromSlot), toSlot: Math.min(gap.toSlot, toSlot) }],
  )
}

function readSlots(reader: { hexBytes(count: number): string; uint64(): number }): MarketSlots {
  return { marketId: reader.hexBytes(32), fromSlot: reader.uint64(), toSlot: reader.uint64() }
}

/** The slots of the day from the first to the last one with a row or a gap record. */
function expectedSlots(
  { firstSlot = Number.POSITIVE_INFINITY, lastSlot = Number.NEGATIVE_INFINITY }: AccountedMarket,
  gaps: readonly Gap[],
  day: SlotRange,
): SlotRange {
  const first = gaps.reduce((least, { fromSlot }) => Math.min(least, fromSlot), firstSlot)
  const last = gaps.reduce((most, { toSlot }) => Math.max(most, toSlot), lastSlot)
  return first > last ? NO_SLOTS : { fromSlot: Math.max(day.fromSlot, first), toSlot: Math.min(day.toSlot, last) }
}

function withEdges(range: SlotRange, stored: SlotRange | undefined, between: readonly SlotRange[]): SlotRange[] {
  if (stored === undefined) return slotCount(range) === 0 ? [] : [range]
  const before = { fromSlot: range.fromSlot, toSlot: stored.fromSlot - 1 }
  const after = { fromSlot: stored.toSlot + 1, toSlot: range.toSlot }
  return [before, ...between, after].filter((run) => slotCount(run) > 0)
}

export function countByCause(gaps: readonly StoredGap[]): GapCount[] {
  const groups = Map.groupBy(gaps, ({ cause, kind }) => `${kind} ${cause}`)
  return [...groups.keys()].toSorted().flatMap((name) => {
    const members = groups.get(name) ?? []
    const [first] = members
    const slots = members.reduce((sum, gap) => sum + slotCount(gap), 0)
    return first === undefined ? [] : [{ cause: first.cause, kind: first.kind, gaps: members.length, slots }]
  })
}
