import { z } from 'zod'
import { HOUR_MS, newestFinishedHourMs } from '../../domain/finished-hour.ts'
import { encodeCells, type HeatMapTile, type HeatScale, TILE_COLUMNS } from '../../domain/heat-map.ts'
import { hasExactColumns } from '../../domain/prices.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { coveredBy } from '../../domain/slot-accounting.ts'
import { type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { HeatMapCell, HeatMapColumn } from '../../stores/books/heat-maps.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'

/** Slots without a row or a gap may still be inserted: ClickHouse may have been unavailable. */
const HOLES_FILL_WITHIN_MS = 24 * HOUR_MS

type TileColumn = Omit<HeatMapColumn, 'hasSums'>

/** What a tile is made of beside its figures. */
export interface TileForm extends SlotRange {
  readonly intervalMs: number
  readonly slotsPerColumn: number
  /** Price steps, from the first one up. */
  readonly rows: number
  readonly firstStep: number
  /** Length of a step, in units of prices. */
  readonly stepUnits: number
  readonly scale: HeatScale
  /** Units of a whole size, and of a whole price. */
  readonly sizeOne: number
  readonly priceOne: number
}

export interface TileInput {
  readonly form: TileForm
  readonly time: TimeRange
  /** What is recorded of the market or perp. */
  readonly known: TimeRange | undefined
  readonly columns: readonly TileColumn[]
  readonly cells: readonly HeatMapCell[]
  /** Those that touch the tile. */
  readonly gaps: readonly Gap[]
  readonly nowMs: number
}

export function heatMapTile(input: TileInput): HeatMapTile {
  const { columns, cells, gaps, form } = input
  const byColumn = new Map(columns.map((column) => [column.column, column]))
  const numbers = Array.from({ length: TILE_COLUMNS }, (_, index) => index)
  const suspect = gaps.filter(({ kind }) => kind === 'suspect')
  const best = (side: 'bestBidUnits' | 'bestAskUnits') =>
    numbers
      .map((index) => byColumn.get(index)?.[side])
      .map((units) => (units === undefined ? null : units / form.priceOne))
  return {
    rows: form.rows,
    priceFrom: (form.firstStep * form.stepUnits) / form.priceOne,
    priceStep: form.stepUnits / form.priceOne,
    bids: bytesOf(cells, false, form),
    asks: bytesOf(cells, true, form),
    bestBid: best('bestBidUnits'),
    bestAsk: best('bestAskUnits'),
    stored: numbers.map((index) => byColumn.get(index)?.stored ?? 0),
    expected: numbers.map((index) => expectedIn(columnTime(input, index), input)),
    suspect: numbers.map((index) => coveredIn(suspect, slotsIn(columnTime(input, index), form.intervalMs))),
    isFinal: isFinal(input),
  }
}

function columnTime({ time, form }: TileInput, index: number): TimeRange {
  const columnMs = form.slotsPerColumn * form.intervalMs
  return { fromMs: time.fromMs + index * columnMs, toMs: time.fromMs + (index + 1) * columnMs }
}

function expectedIn(time: TimeRange, { known, form }: TileInput): number {
  const recorded = known && overlapOf(time, known)
  return recorded === undefined ? 0 : slotCount(slotsIn(recorded, form.intervalMs))
}

function coveredIn(gaps: readonly SlotRange[], { fromSlot, toSlot }: SlotRange): number {
  const parts = gaps.map((gap) => ({
    fromSlot: Math.max(gap.fromSlot, fromSlot),
    toSlot: Math.min(gap.toSlot, toSlot),
  }))
  return coveredBy(parts.filter((part) => part.fromSlot <= part.toSlot))
}

function isFinal(input: TileInput): boolean {
  const { time, gaps, form, columns, nowMs } = input
  if (time.toMs > newestFinishedHourMs(nowMs) + HOUR_MS) return false
  if (nowMs - time.toMs >= HOLES_FILL_WITHIN_MS) return true
  // What comes after the last stored row may only be late.
  if (input.known === undefined || input.known.toMs < time.toMs) return false
  const missing = gaps.filter(({ kind }) => kind === 'missing')
  const storedSlots = columns.reduce((sum, { stored }) => sum + stored, 0)
  return expectedIn(time, input) <= storedSlots + coveredIn(missing, form)
}

function bytesOf(cells: readonly HeatMapCell[], isAsk: boolean, { rows, firstStep, scale, sizeOne }: TileForm): string {
  const ofSide = cells.filter((cell) => cell.isAsk === isAsk)
  const sized = ofSide.map(({ column, step, sizeUnits }) => ({
    column,
    row: step - firstStep,
    size: sizeUnits / sizeOne,
  }))
  return Buffer.from(encodeCells(sized, rows, scale)).toString('base64')
}

const DEFAULT_SLOTS_PER_COLUMN = 16
const MAX_SLOTS_PER_COLUMN = 256

/** A final tile changes only when its hour is corrected. */
export const FINAL_FOR_SECONDS = 3_600

export const ColumnMs = wholeNumber(1, 1_000_000)
  .optional()
  .describe('the sampling interval times 1, 2, 4 … 256; default: times 16')

export function slotsPerColumnOf(columnMs: number | undefined, intervalMs: number): number {
  const slots = columnMs === undefined ? DEFAULT_SLOTS_PER_COLUMN : columnMs / intervalMs
  if (Number.isInteger(Math.log2(slots)) && slots >= 1 && slots <= MAX_SLOTS_PER_COLUMN) return slots
  throw invalidParameter(
    'column_ms',
    `must be ${intervalMs} (the sampling interval) times 1, 2, 4 and so on up to ${MAX_SLOTS_PER_COLUMN}, got ${columnMs}`,
  )
}

/** The tile that contains a time; tiles start at multiples of their length. */
export function tileTimeAt(atMs: number, columnMs: number): TimeRange {
  const tileMs = TILE_COLUMNS * columnMs
  const fromMs = Math.floor(atMs / tileMs) * tileMs
  return { fromMs, toMs: fromMs + tileMs }
}

export function isEmptyTile({ stored }: Pick<HeatMapTile, 'stored'>): boolean {
  return stored.every((slots) => slots === 0)
}

/** Exact books that a tile shows: one in each column with a row, unless columns are summaries. */
export function booksInTile(
  stored: readonly number[],
  { slotsPerColumn, intervalMs }: Pick<TileForm, 'slotsPerColumn' | 'intervalMs'>,
): number {
  return hasExactColumns(slotsPerColumn, intervalMs) ? stored.filter((slots) => slots > 0).length : 0
}

const figures = (what: string) =>
  z
    .array(z.number().nullable())
    .describe(`${what}; null in a column without a row, 0 when that side was empty (1 for the asks of a market)`)
const counts = (what: string) => z.array(z.int()).describe(what)

/** The members of an answer that show the tile. */
export const tileMembers = {
  from: Instant.describe('start of the tile'),
  column_ms: z.int().describe('length of a column'),
  columns: z.int(),
  price_from: z.number().describe('price of the first row'),
  price_step: z.number(),
  rows: z.int(),
  scale: z
    .object({ kind: z.literal('log2'), unit: z.number(), steps_per_octave: z.int() })
    .describe(
      'a byte b above 0 is the size unit × 2^((b − 1) / steps_per_octave), within 6 %; 0 is none, and 1 is also every size below the unit',
    ),
  bids: z
    .string()
    .describe(
      'base64 of one byte for each column and row, column by column from the lowest price up: the largest sum of sizes in a slot of the column',
    ),
  asks: z.string().describe('the same for asks'),
  best_bid: figures('best bid at the end of each column'),
  best_ask: figures('best ask at the end of each column'),
  stored: counts('slots of each column that have a row'),
  expected: counts('slots of each column in the recorded range'),
  suspect: counts('slots of each column whose row is in doubt'),
  is_final: z.boolean().describe('false while rows may still come'),
}

export function tileMembersOf(tile: HeatMapTile, time: TimeRange, columnMs: number, scale: HeatScale) {
  return {
    from: instantOf(time.fromMs),
    column_ms: columnMs,
    columns: TILE_COLUMNS,
    price_from: tile.priceFrom,
    price_step: tile.priceStep,
    rows: tile.rows,
    scale: { ...scale },
    bids: tile.bids,
    asks: tile.asks,
    best_bid: [...tile.bestBid],
    best_ask: [...tile.bestAsk],
    stored: [...tile.stored],
    expected: [...tile.expected],
    suspect: [...tile.suspect],
  }
}
