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

/** The largest sum of sizes of a price step in a slot of a column, in units. */
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
  /** Whether a book has two prices in one step. */
  readonly hasSums: boolean
}

export function heatMapStore(client: ClickHouseReads) {
  return {
    /** Only columns with a row. */
    columns(request: HeatMapRequest, signal?: AbortSignal): Promise<HeatMapColumn[]> {
      const { bestBid, bestAsk, bidPrices, askPrices } = TOKEN_COLUMNS[request.outcome]
      return readRows(
        client,
        (reader) => ({
          column: reader.uint16(),
          stored: reader.uint64(),
          bestBidUnits: reader.uint64(),
          bestAskUnits: reader.uint64(),
          hasSums: reader.uint8() === 1,
        }),
        {
          sql: `SELECT ${COLUMN} AS tile_column, uniqExact(slot),
              toUInt64(argMax(${bestBid}, slot)), toUInt64(argMax(${bestAsk}, slot)),
              toUInt8(max(${hasTwoInStep(bidPrices)} OR ${hasTwoInStep(askPrices)}))
            FROM snapshots WHERE ${OF_MARKET} GROUP BY tile_column ORDER BY tile_column`,
          params: paramsOf(request),
          ...(signal && { signal }),
        },
      )
    },

    /** Within a slot the sizes of a price step are added; over the slots of a column the largest sum counts. */
    cells(request: HeatMapRequest, hasSums: boolean, signal?: AbortSignal): Promise<HeatMapCell[]> {
      const { bidPrices, bidSizes, askPrices, askSizes } = TOKEN_COLUMNS[request.outcome]
      const cellsOf = hasSums ? largestSums : largestSizes
      return readRows(
        client,
        (reader) => ({
          isAsk: reader.uint8() === 1,
          column: reader.uint16(),
          step: reader.uint16(),
          sizeUnits: reader.uint64(),
        }),
        {
          sql: `SELECT toUInt8(0), * FROM (${cellsOf(bidPrices, bidSizes)})
            UNION ALL SELECT toUInt8(1), * FROM (${cellsOf(askPrices, askSizes)})`,
          params: paramsOf(request),
          ...(signal && { signal }),
        },
      )
    },
  }
}

export type HeatMapStore = ReturnType<typeof heatMapStore>

const COLUMN = 'toUInt16(intDiv(slot - {fromSlot:UInt64}, {slotsPerColumn:UInt32}))'
const STEP = 'toUInt16(intDiv(level_price, {stepUnits:UInt16}))'

/** Prices are sorted, so equal steps are neighbours. */
function hasTwoInStep(prices: string): string {
  const steps = `arrayMap(price -> intDiv(price, {stepUnits:UInt16}), ${prices})`
  return `length(arrayCompact(${steps})) < length(${prices})`
}

/** Right when no book has two prices in one step, and four times as fast then. A row that was inserted twice does no harm. */
function largestSizes(prices: string, sizes: string): string {
  return `SELECT ${COLUMN} AS tile_column, ${STEP} AS tile_row, max(level_size)
    FROM (SELECT slot, ${prices} AS level_prices, ${sizes} AS level_sizes FROM snapshots WHERE ${OF_MARKET})
    ARRAY JOIN level_prices AS level_price, level_sizes AS level_size
    GROUP BY tile_column, tile_row`
}

function largestSums(prices: string, sizes: string): string {
  return `SELECT ${COLUMN} AS tile_column, tile_row, max(total)
    FROM (
      SELECT slot, ${STEP} AS tile_row, sum(level_size) AS total
      FROM (
        SELECT slot, ${prices} AS level_prices, ${sizes} AS level_sizes
        FROM snapshots WHERE ${OF_MARKET} ORDER BY slot LIMIT 1 BY slot
      )
      ARRAY JOIN level_prices AS level_price, level_sizes AS level_size
      GROUP BY slot, tile_row
    )
    GROUP BY tile_column, tile_row`
}

function paramsOf({ marketId, intervalMs, fromSlot, toSlot, slotsPerColumn, stepUnits }: HeatMapRequest) {
  const time = { fromMs: fromSlot * intervalMs, toMs: (toSlot + 1) * intervalMs }
  return { ...marketTimeParams({ marketId, intervalMs, ...time }), slotsPerColumn, stepUnits }
}
