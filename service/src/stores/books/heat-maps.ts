import { LRUCache } from 'lru-cache'
import type { SlotRange } from '../../domain/slot-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { readRows } from './read-rows.ts'
import { marketTimeParams, OF_MARKET, type SampledMarket } from './slot-sql.ts'
import { TOKEN_COLUMNS, type TokenColumns } from './token-rows-sql.ts'

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

/** Markets and price steps of which is known whether a book has two prices in one step. */
const MOST_KNOWN = 20_000

export function heatMapStore(client: ClickHouseReads) {
  const haveSums = new LRUCache<string, boolean>({ max: MOST_KNOWN })
  const reads = {
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
      const levels = levelsOf(TOKEN_COLUMNS[request.outcome], hasSums)
      return readRows(
        client,
        (reader) => ({
          isAsk: reader.uint8() === 1,
          column: reader.uint16(),
          step: reader.uint16(),
          sizeUnits: reader.uint64(),
        }),
        {
          sql: hasSums ? largestSums(levels) : largestSizes(levels),
          params: paramsOf(request),
          ...(signal && { signal }),
        },
      )
    },

    /** Both at once: what a market had before tells which way of reading cells is right. */
    async columnsAndCells(
      request: HeatMapRequest,
      signal?: AbortSignal,
    ): Promise<{ readonly columns: HeatMapColumn[]; readonly cells: HeatMapCell[] }> {
      const name = `${request.marketId} ${request.stepUnits}`
      const areSums = haveSums.get(name) ?? false
      const [columns, cells] = await Promise.all([
        reads.columns(request, signal),
        reads.cells(request, areSums, signal),
      ])
      const hasSums = columns.some((column) => column.hasSums)
      if (columns.length > 0) haveSums.set(name, hasSums)
      return { columns, cells: hasSums && !areSums ? await reads.cells(request, true, signal) : cells }
    },
  }
  return reads
}

export type HeatMapStore = ReturnType<typeof heatMapStore>

const COLUMN = 'toUInt16(intDiv(slot - {fromSlot:UInt64}, {slotsPerColumn:UInt32}))'
const STEP = 'toUInt16(intDiv(level_price, {stepUnits:UInt16}))'

/** Prices are sorted, so equal steps are neighbours. */
function hasTwoInStep(prices: string): string {
  const steps = `arrayMap(price -> intDiv(price, {stepUnits:UInt16}), ${prices})`
  return `length(arrayCompact(${steps})) < length(${prices})`
}

/** A row for each level of each book. In a sum every book must count once, also one that was inserted twice. */
function levelsOf({ bidPrices, bidSizes, askPrices, askSizes }: TokenColumns, isEachOnce: boolean): string {
  return `(
      SELECT slot,
        arrayConcat(${bidPrices}, ${askPrices}) AS level_prices,
        arrayConcat(${bidSizes}, ${askSizes}) AS level_sizes,
        arrayResize(arrayWithConstant(length(${bidPrices}), toUInt8(0)), length(level_prices), toUInt8(1)) AS level_sides
      FROM snapshots WHERE ${OF_MARKET} ${isEachOnce ? 'ORDER BY slot LIMIT 1 BY slot' : ''}
    )
    ARRAY JOIN level_prices AS level_price, level_sizes AS level_size, level_sides AS is_ask`
}

/** Right when no book has two prices in one step, and twice as fast then. */
function largestSizes(levels: string): string {
  return `SELECT is_ask, ${COLUMN} AS tile_column, ${STEP} AS tile_row, max(level_size)
    FROM ${levels}
    GROUP BY is_ask, tile_column, tile_row`
}

function largestSums(levels: string): string {
  return `SELECT is_ask, ${COLUMN} AS tile_column, tile_row, max(total)
    FROM (
      SELECT is_ask, slot, ${STEP} AS tile_row, sum(level_size) AS total
      FROM ${levels}
      GROUP BY is_ask, slot, tile_row
    )
    GROUP BY is_ask, tile_column, tile_row`
}

function paramsOf({ marketId, intervalMs, fromSlot, toSlot, slotsPerColumn, stepUnits }: HeatMapRequest) {
  const time = { fromMs: fromSlot * intervalMs, toMs: (toSlot + 1) * intervalMs }
  return { ...marketTimeParams({ marketId, intervalMs, ...time }), slotsPerColumn, stepUnits }
}
