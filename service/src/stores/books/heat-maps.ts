import type { SlotRange } from '../../domain/slot-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { readRows } from './read-rows.ts'
import { marketTimeParams, OF_MARKET, type SampledMarket } from './slot-sql.ts'
import { TOKEN_COLUMNS } from './token-rows-sql.ts'

export interface HeatMapRequest extends SampledMarket, SlotRange {
  readonly outcome: 0 | 1
  readonly slotsPerColumn: number
  /** In units of prices. */
  readonly stepUnits: number
}

/** The largest sum of sizes of a price step in a column, in units. */
export interface HeatMapCell {
  readonly isAsk: boolean
  readonly column: number
  readonly step: number
  readonly sizeUnits: number
}

export interface HeatMapColumn {
  readonly column: number
  readonly stored: number
  /** At the last row of the column, in units; 0 and 1 when a side is empty. */
  readonly bestBidUnits: number
  readonly bestAskUnits: number
}

export function heatMapStore(client: ClickHouseReads) {
  return {
    /** Within a slot the sizes of a price step are added; over the slots of a column the largest sum counts. */
    cells(request: HeatMapRequest, signal?: AbortSignal): Promise<HeatMapCell[]> {
      return readRows(
        client,
        (reader) => ({
          isAsk: reader.uint8() === 1,
          column: reader.uint16(),
          step: reader.uint16(),
          sizeUnits: reader.uint64(),
        }),
        { sql: cellsSql(request.outcome), params: paramsOf(request), ...(signal && { signal }) },
      )
    },

    columns(request: HeatMapRequest, signal?: AbortSignal): Promise<HeatMapColumn[]> {
      const { bestBid, bestAsk } = TOKEN_COLUMNS[request.outcome]
      return readRows(
        client,
        (reader) => ({
          column: reader.uint16(),
          stored: reader.uint64(),
          bestBidUnits: reader.uint64(),
          bestAskUnits: reader.uint64(),
        }),
        {
          sql: `SELECT ${COLUMN} AS tile_column, uniqExact(slot),
              toUInt64(argMax(${bestBid}, slot)), toUInt64(argMax(${bestAsk}, slot))
            FROM snapshots WHERE ${OF_MARKET} GROUP BY tile_column ORDER BY tile_column`,
          params: paramsOf(request),
          ...(signal && { signal }),
        },
      )
    },
  }
}

export type HeatMapStore = ReturnType<typeof heatMapStore>

const COLUMN = 'toUInt16(intDiv(slot - {fromSlot:UInt64}, {slotsPerColumn:UInt32}))'

/** A bid belongs to the step that it reaches, an ask to the step from which it starts. */
function cellsSql(outcome: 0 | 1): string {
  const { bidPrices, bidSizes, askPrices, askSizes } = TOKEN_COLUMNS[outcome]
  const step = 'toUInt16(intDiv(level_price, {stepUnits:UInt16}))'
  return `
    SELECT toUInt8(is_ask), tile_column, level_step, max(total)
    FROM (
      SELECT is_ask, ${COLUMN} AS tile_column, slot, ${step} AS level_step, toUInt64(sum(level_size)) AS total
      FROM (
        SELECT slot, level.1 AS is_ask, level.2 AS level_price, level.3 AS level_size
        FROM (
          SELECT slot, arrayConcat(
            arrayMap((p, s) -> (0, toUInt32(p), toUInt64(s)), ${bidPrices}, ${bidSizes}),
            arrayMap((p, s) -> (1, toUInt32(p), toUInt64(s)), ${askPrices}, ${askSizes})
          ) AS levels
          FROM snapshots WHERE ${OF_MARKET} ORDER BY slot LIMIT 1 BY slot
        )
        ARRAY JOIN levels AS level
      )
      GROUP BY is_ask, tile_column, slot, level_step
    )
    GROUP BY is_ask, tile_column, level_step`
}

function paramsOf({ marketId, intervalMs, fromSlot, toSlot, slotsPerColumn, stepUnits }: HeatMapRequest) {
  const time = { fromMs: fromSlot * intervalMs, toMs: (toSlot + 1) * intervalMs }
  return { ...marketTimeParams({ marketId, intervalMs, ...time }), slotsPerColumn, stepUnits }
}
