import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { type Gap, isRowGap, type TradeGap } from '../../domain/rows/gap.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import { accountFor } from '../../domain/slot-accounting.ts'
import { slotCount, timeOf } from '../../domain/slot-range.ts'
import { gapStore } from '../books/gaps.ts'
import { missingSlotStore } from '../books/missing-slots.ts'
import { perpSnapshotStore } from '../books/perp-snapshots.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { daySlots, tradeGapsIn } from './day-accounts.ts'
import { dayParams } from './day-parquet.ts'

export interface Perp {
  readonly venue: string
  readonly symbol: string
}

/** The books and gap records of a perp on a day. */
export interface PerpDay {
  /** A later book is stored, and every slot before it has a book or a gap record. */
  readonly isComplete: boolean
  /** Cut to the day; where a book exists, a missing gap does not count. */
  readonly gaps: readonly Gap[]
  readonly tradeGaps: readonly TradeGap[]
}

export async function perpDayOf(
  client: ClickHouseReads,
  { venue, symbol }: Perp,
  dayMs: number,
  signal: AbortSignal,
): Promise<PerpDay> {
  const perp = { venue, symbol, intervalMs: PERP_INTERVAL_MS }
  const day = daySlots(dayMs, PERP_INTERVAL_MS)
  const [recorded, records] = await Promise.all([
    perpSnapshotStore(client).recordedSlots(perp),
    gapStore(client).all({ marketId: perpMarketId(venue, symbol), intervalMs: PERP_INTERVAL_MS, ...dayParams(dayMs) }),
  ])
  const tradeGaps = tradeGapsIn(records, day)
  if (recorded === undefined) return { isComplete: false, gaps: [], tradeGaps }
  const rowGaps = records.filter(isRowGap)
  const last = rowGaps.reduce((most, { toSlot }) => Math.max(most, toSlot), recorded.toSlot)
  const range = { fromSlot: Math.max(day.fromSlot, recorded.fromSlot), toSlot: Math.min(day.toSlot, last) }
  if (slotCount(range) === 0) return { isComplete: recorded.toSlot > day.toSlot, gaps: [], tradeGaps }
  const runs = await missingSlotStore(client).perpRuns({ ...perp, ...timeOf(range, PERP_INTERVAL_MS) }, signal)
  const { gaps, unaccountedSlots } = accountFor(range, runs, rowGaps)
  return { isComplete: recorded.toSlot > day.toSlot && unaccountedSlots === 0, gaps, tradeGaps }
}
