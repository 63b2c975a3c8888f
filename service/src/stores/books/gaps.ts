import { GAP_COLUMNS, type Gap, isRowGap, readGap, type StoredGap } from '../../domain/rows/gap.ts'
import type { SlotRange } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, MARKET_PARAM, marketParam, readRows } from './read-rows.ts'
import type { SampledMarket } from './slot-sql.ts'

/** Slots without a row and without a gap record: always a bug. */
export type Hole = SampledMarket & SlotRange

const COLUMNS = columnList(GAP_COLUMNS)

/** A row covers its slot and a missing gap covers its slots (a suspect gap has rows); a hole lies between the furthest end so far and the next start. */
const HOLES = `
  SELECT market_id, interval_ms, covered_to + 1, from_slot - 1
  FROM (
    SELECT market_id, interval_ms, from_slot,
      count() OVER before AS before_count,
      max(to_slot) OVER before AS covered_to
    FROM (
      SELECT market_id, interval_ms, slot AS from_slot, slot AS to_slot
      FROM snapshots
      WHERE slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')}
      UNION ALL
      SELECT toFixedString(concat('perp:', venue, ':', symbol), 32), interval_ms, slot, slot
      FROM perp_snapshots
      WHERE slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')}
      UNION ALL
      SELECT market_id, interval_ms, from_slot, to_slot
      FROM gaps
      WHERE kind = 'missing' AND from_at < ${atParam('toMs')} AND (to_slot + 1) * interval_ms > {fromMs:Int64}
    )
    WINDOW before AS (
      PARTITION BY market_id, interval_ms ORDER BY from_slot, to_slot
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  )
  WHERE before_count > 0 AND from_slot > covered_to + 1
  ORDER BY market_id, interval_ms, from_slot
  LIMIT {limit:UInt32}`

export function gapStore(client: ClickHouseReads) {
  /** Gaps of rows and of trades that touch the range by their start, each with the furthest end that was ever recorded. */
  const all = ({ marketId, intervalMs, fromMs, toMs }: SampledMarket & TimeRange): Promise<StoredGap[]> =>
    readRows(client, readGap, {
      sql: `SELECT ${COLUMNS} FROM gaps
        WHERE market_id = ${MARKET_PARAM} AND interval_ms = {intervalMs:UInt32}
          AND from_at < ${atParam('toMs')} AND (to_slot + 1) * interval_ms > {fromMs:Int64}
        ORDER BY from_slot, cause, kind, to_slot DESC LIMIT 1 BY from_slot, cause, kind`,
      params: { market: marketParam(marketId), intervalMs, fromMs, toMs },
    })
  return {
    all,

    /** Gaps of rows. */
    async range(range: SampledMarket & TimeRange): Promise<Gap[]> {
      return (await all(range)).filter(isRowGap)
    },

    /** Every hole between the first and the last row or gap of each market in the range. There must be none. */
    uncoveredHoles({ fromMs, toMs, limit = 10_000 }: TimeRange & { readonly limit?: number }): Promise<Hole[]> {
      return readRows(
        client,
        (reader) => ({
          marketId: reader.hexBytes(32),
          intervalMs: reader.uint32(),
          fromSlot: reader.uint64(),
          toSlot: reader.uint64(),
        }),
        { sql: HOLES, params: { fromMs, toMs, limit } },
      )
    },
  }
}

export type GapStore = ReturnType<typeof gapStore>
