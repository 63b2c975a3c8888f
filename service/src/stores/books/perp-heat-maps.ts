import type { SlotRange } from '../../domain/slot-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import type { HeatMapCell, HeatMapColumn } from './heat-maps.ts'
import { readRows } from './read-rows.ts'
import { OF_PERP, type SampledPerp, slotParams } from './slot-sql.ts'

export interface PerpHeatMapRequest extends SampledPerp, SlotRange {
  readonly slotsPerColumn: number
  /** The first slot of the tile; rows may start later. */
  readonly tileSlot: number
}

/** Without a row in it there is no column. */
export interface PerpHeatMapColumn extends Omit<HeatMapColumn, 'hasSums'> {
  /** 0 when all books of the column are empty. */
  readonly lowestUnits: number
  readonly highestUnits: number
}

export function perpHeatMapStore(client: ClickHouseReads) {
  return {
    columns(request: PerpHeatMapRequest, signal?: AbortSignal): Promise<PerpHeatMapColumn[]> {
      return readRows(
        client,
        (reader) => ({
          column: reader.uint16(),
          stored: reader.uint64(),
          bestBidUnits: reader.uint64(),
          bestAskUnits: reader.uint64(),
          lowestUnits: reader.uint64(),
          highestUnits: reader.uint64(),
        }),
        {
          sql: `SELECT ${COLUMN} AS tile_column, uniqExact(slot), argMax(bid_prices[1], slot), argMax(ask_prices[1], slot),
              minIf(arrayMin(prices), notEmpty(prices)), maxIf(arrayMax(prices), notEmpty(prices))
            FROM (SELECT slot, bid_prices, ask_prices, arrayConcat(bid_prices, ask_prices) AS prices
              FROM perp_snapshots WHERE ${OF_PERP})
            GROUP BY tile_column ORDER BY tile_column`,
          params: paramsOf(request),
          ...(signal && { signal }),
        },
      )
    },

    /** Within a slot the sizes of a price step are added; over the slots of a column the largest sum counts. */
    cells(request: PerpHeatMapRequest, stepUnits: number, signal?: AbortSignal): Promise<HeatMapCell[]> {
      return readRows(
        client,
        (reader) => ({
          isAsk: reader.uint8() === 1,
          column: reader.uint16(),
          step: reader.uint64(),
          sizeUnits: reader.uint64(),
        }),
        {
          sql: `SELECT toUInt8(0), * FROM (${largestSums('bid')}) UNION ALL SELECT toUInt8(1), * FROM (${largestSums('ask')})`,
          params: { ...paramsOf(request), stepUnits },
          ...(signal && { signal }),
        },
      )
    },
  }
}

export type PerpHeatMapStore = ReturnType<typeof perpHeatMapStore>

const COLUMN = 'toUInt16(intDiv(slot - {tileSlot:UInt64}, {slotsPerColumn:UInt32}))'

function largestSums(side: 'bid' | 'ask'): string {
  return `SELECT ${COLUMN} AS tile_column, tile_row, max(total)
    FROM (
      SELECT slot, intDiv(level_price, {stepUnits:UInt64}) AS tile_row, sum(level_size) AS total
      FROM (
        SELECT slot, ${side}_prices AS level_prices, ${side}_sizes AS level_sizes
        FROM perp_snapshots WHERE ${OF_PERP} ORDER BY slot LIMIT 1 BY slot
      )
      ARRAY JOIN level_prices AS level_price, level_sizes AS level_size
      GROUP BY slot, tile_row
    )
    GROUP BY tile_column, tile_row`
}

function paramsOf({ venue, symbol, intervalMs, fromSlot, toSlot, slotsPerColumn, tileSlot }: PerpHeatMapRequest) {
  return { venue, symbol, ...slotParams({ intervalMs, fromSlot, toSlot }), slotsPerColumn, tileSlot }
}
