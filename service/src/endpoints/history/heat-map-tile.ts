import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE } from '../../domain/decimal.ts'
import { HOUR_MS, newestFinishedHourMs } from '../../domain/finished-hour.ts'
import { encodeCells, type HeatMapTile, TILE_COLUMNS } from '../../domain/heat-map.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { coveredBy } from '../../domain/slot-accounting.ts'
import { type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { HeatMapCell, HeatMapColumn, HeatMapRequest } from '../../stores/books/heat-maps.ts'
import { priceOf } from '../schemas/book-figures.ts'

/** Slots without a row or a gap may still be inserted: ClickHouse may have been unavailable. */
const HOLES_FILL_WITHIN_MS = 24 * HOUR_MS

export interface TileInput {
  readonly request: HeatMapRequest
  readonly time: TimeRange
  /** What is recorded of the market. */
  readonly known: TimeRange | undefined
  readonly columns: readonly HeatMapColumn[]
  readonly cells: readonly HeatMapCell[]
  /** Those that touch the tile. */
  readonly gaps: readonly Gap[]
  readonly nowMs: number
}

export function heatMapTile(input: TileInput): HeatMapTile {
  const { columns, cells, gaps, request } = input
  const rows = PRICE_ONE / request.stepUnits
  const byColumn = new Map(columns.map((column) => [column.column, column]))
  const numbers = Array.from({ length: TILE_COLUMNS }, (_, index) => index)
  const suspect = gaps.filter(({ kind }) => kind === 'suspect')
  const best = (side: 'bestBidUnits' | 'bestAskUnits') =>
    numbers.map((index) => byColumn.get(index)?.[side]).map((units) => (units === undefined ? null : priceOf(units)))
  return {
    bids: bytesOf(cells, false, rows),
    asks: bytesOf(cells, true, rows),
    bestBid: best('bestBidUnits'),
    bestAsk: best('bestAskUnits'),
    stored: numbers.map((index) => byColumn.get(index)?.stored ?? 0),
    expected: numbers.map((index) => expectedIn(columnTime(input, index), input)),
    suspect: numbers.map((index) => coveredIn(suspect, slotsIn(columnTime(input, index), request.intervalMs))),
    storedRows: storedRowsOf(columns),
    isFinal: isFinal(input),
  }
}

export function storedRowsOf(columns: readonly HeatMapColumn[]): number {
  return columns.reduce((sum, { stored }) => sum + stored, 0)
}

function columnTime({ time, request }: TileInput, index: number): TimeRange {
  const columnMs = request.slotsPerColumn * request.intervalMs
  return { fromMs: time.fromMs + index * columnMs, toMs: time.fromMs + (index + 1) * columnMs }
}

function expectedIn(time: TimeRange, { known, request }: TileInput): number {
  const recorded = known && overlapOf(time, known)
  return recorded === undefined ? 0 : slotCount(slotsIn(recorded, request.intervalMs))
}

function coveredIn(gaps: readonly SlotRange[], { fromSlot, toSlot }: SlotRange): number {
  const parts = gaps.map((gap) => ({
    fromSlot: Math.max(gap.fromSlot, fromSlot),
    toSlot: Math.min(gap.toSlot, toSlot),
  }))
  return coveredBy(parts.filter((part) => part.fromSlot <= part.toSlot))
}

function isFinal(input: TileInput): boolean {
  const { time, gaps, request, columns, nowMs } = input
  if (time.toMs > newestFinishedHourMs(nowMs) + HOUR_MS) return false
  if (nowMs - time.toMs >= HOLES_FILL_WITHIN_MS) return true
  const missing = gaps.filter(({ kind }) => kind === 'missing')
  return expectedIn(time, input) <= storedRowsOf(columns) + coveredIn(missing, request)
}

function bytesOf(cells: readonly HeatMapCell[], isAsk: boolean, rows: number): string {
  const ofSide = cells.filter((cell) => cell.isAsk === isAsk)
  const sized = ofSide.map(({ column, step, sizeUnits }) => ({ column, row: step, size: sizeUnits / SIZE_ONE }))
  return Buffer.from(encodeCells(sized, rows)).toString('base64')
}
