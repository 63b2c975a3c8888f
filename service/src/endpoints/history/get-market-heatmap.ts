import { z } from 'zod'
import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE } from '../../domain/decimal.ts'
import { HOUR_MS, newestFinishedHourMs } from '../../domain/finished-hour.ts'
import { encodeCells, HEAT_SCALE, TILE_COLUMNS } from '../../domain/heat-map.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { coveredBy } from '../../domain/slot-accounting.ts'
import { slotCount, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { HeatMapCell, HeatMapColumn, HeatMapRequest } from '../../stores/books/heat-maps.ts'
import { endpoint } from '../endpoint.ts'
import { priceOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams, Moment, Side, wholeNumber } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import { recordedRange } from '../shared/recorded-range.ts'

const PRICE_STEPS = ['0.001', '0.005', '0.01', '0.05'] as const
const DEFAULT_SLOTS_PER_COLUMN = 16
const MAX_SLOTS_PER_COLUMN = 256
/** A coarser tile shows what bars show; a finer one is nearly the books themselves. */
const FREE_FROM_SLOTS = 4
const FREE_FROM_MS = 1_000
const ROWS_PER_CREDIT = 1_000
/** A final tile changes only when its hour is corrected. */
const FINAL_FOR_SECONDS = 3_600

const figures = (what: string) => z.array(z.number().nullable()).describe(`${what}; null in a column without a row`)
const counts = (what: string) => z.array(z.int()).describe(what)

const HeatMap = z
  .object({
    market_id: z.string(),
    venue: VenueName,
    side: Side,
    from: Instant.describe('start of the tile'),
    column_ms: z.int().describe('length of a column'),
    columns: z.int(),
    price_from: z.number().describe('price of the first row'),
    price_step: z.number(),
    rows: z.int(),
    scale: z
      .object({ kind: z.literal('log2'), unit: z.number(), steps_per_octave: z.int() })
      .describe('a byte b above 0 is the size unit × 2^((b − 1) / steps_per_octave), within 10 %; 0 is none'),
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
  })
  .meta({ id: 'HeatMap' })

const Query = z.object({
  from: Moment.describe('a time in the tile; tiles start at multiples of 256 columns'),
  side: Side.default('UP').describe('the token'),
  column_ms: wholeNumber(1, 1_000_000)
    .optional()
    .describe('the sampling interval times 1, 2, 4 … 256; default: times 16'),
  price_step: z.enum(PRICE_STEPS).default('0.01'),
})

export const getMarketHeatmap = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/heatmap',
  name: 'get_market_heatmap',
  group: 'History',
  summary: 'Get a tile of the heat map of a market: sizes by time and price',
  description:
    'A tile has 256 columns. It is free when a column has at least four slots and a second; a finer one costs 1 credit for 1,000 rows.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: Query,
  reply: HeatMap,
  errors: ['market_not_found', 'out_of_credits'],

  async handle({ params, query, stores, nowMs, signal, require, callerContext }) {
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const intervalMs = market.captureIntervalMs
    const slotsPerColumn = slotsPerColumnOf(query.column_ms, intervalMs)
    const columnMs = slotsPerColumn * intervalMs
    const tileMs = TILE_COLUMNS * columnMs
    const fromMs = Math.floor(query.from / tileMs) * tileMs
    const tile = { fromMs, toMs: fromMs + tileMs }
    require({ historyAgeMs: nowMs - Math.min(fromMs, nowMs) })
    const stepUnits = Math.round(Number(query.price_step) * PRICE_ONE)
    const isFree = slotsPerColumn >= FREE_FROM_SLOTS && columnMs >= FREE_FROM_MS
    const request: HeatMapRequest = {
      marketId: market.id,
      intervalMs,
      ...slotsIn(tile, intervalMs),
      outcome: query.side === 'UP' ? 0 : 1,
      slotsPerColumn,
      stepUnits,
    }
    const [known, columns, gaps] = await Promise.all([
      recordedRange(stores, market, nowMs),
      stores.heatMaps.columns(request, signal),
      stores.gaps.range({ marketId: market.id, intervalMs, ...tile }),
    ])
    const storedRows = columns.reduce((sum, { stored }) => sum + stored, 0)
    const credits = isFree ? 0 : Math.ceil(storedRows / ROWS_PER_CREDIT)
    if (credits > 0)
      await callerContext?.requireCredits(credits, `heatmap ${market.id} ${fromMs} ${columnMs} ${query.side}`)
    const cells = await stores.heatMaps.cells(request, signal)
    const rows = PRICE_ONE / stepUnits
    const isFinal = tile.toMs <= newestFinishedHourMs(nowMs) + HOUR_MS
    return {
      body: {
        market_id: market.id,
        venue: market.venue,
        side: query.side,
        from: instantOf(fromMs),
        column_ms: columnMs,
        columns: TILE_COLUMNS,
        price_from: 0,
        price_step: Number(query.price_step),
        rows,
        scale: { ...HEAT_SCALE },
        bids: bytesOf(cells, false, rows),
        asks: bytesOf(cells, true, rows),
        ...columnMembers(columns, gaps, { tile, known, columnMs, intervalMs }),
        is_final: isFinal,
      },
      credits,
      ...(storedRows === 0 && { emptyReason: known === undefined ? ('not_recorded_yet' as const) : ('gap' as const) }),
      ...(isFinal && { maxAgeSeconds: FINAL_FOR_SECONDS }),
    }
  },
})

function slotsPerColumnOf(columnMs: number | undefined, intervalMs: number): number {
  const slots = columnMs === undefined ? DEFAULT_SLOTS_PER_COLUMN : columnMs / intervalMs
  if (Number.isInteger(Math.log2(slots)) && slots >= 1 && slots <= MAX_SLOTS_PER_COLUMN) return slots
  throw invalidParameter(
    'column_ms',
    `must be ${intervalMs} (the sampling interval of the market) times 1, 2, 4 and so on up to ${MAX_SLOTS_PER_COLUMN}, got ${columnMs}`,
  )
}

function bytesOf(cells: readonly HeatMapCell[], isAsk: boolean, rows: number): string {
  const ofSide = cells.filter((cell) => cell.isAsk === isAsk)
  const sized = ofSide.map(({ column, step, sizeUnits }) => ({ column, row: step, size: sizeUnits / SIZE_ONE }))
  return Buffer.from(encodeCells(sized, rows)).toString('base64')
}

interface TileTime {
  readonly tile: TimeRange
  readonly known: TimeRange | undefined
  readonly columnMs: number
  readonly intervalMs: number
}

function columnMembers(
  columns: readonly HeatMapColumn[],
  gaps: readonly Gap[],
  { tile, known, columnMs, intervalMs }: TileTime,
) {
  const byColumn = new Map(columns.map((column) => [column.column, column]))
  const suspect = gaps.filter(({ kind }) => kind === 'suspect')
  const numbers = Array.from({ length: TILE_COLUMNS }, (_, index) => index)
  const timeOf = (index: number): TimeRange => ({
    fromMs: tile.fromMs + index * columnMs,
    toMs: tile.fromMs + (index + 1) * columnMs,
  })
  return {
    best_bid: numbers.map((index) => bestOf(byColumn.get(index), 'bestBidUnits')),
    best_ask: numbers.map((index) => bestOf(byColumn.get(index), 'bestAskUnits')),
    stored: numbers.map((index) => byColumn.get(index)?.stored ?? 0),
    expected: numbers.map((index) => {
      const time = known && overlapOf(timeOf(index), known)
      return time === undefined ? 0 : slotCount(slotsIn(time, intervalMs))
    }),
    suspect: numbers.map((index) => {
      const { fromSlot, toSlot } = slotsIn(timeOf(index), intervalMs)
      const parts = suspect.map((gap) => ({
        fromSlot: Math.max(gap.fromSlot, fromSlot),
        toSlot: Math.min(gap.toSlot, toSlot),
      }))
      return coveredBy(parts.filter((part) => part.fromSlot <= part.toSlot))
    }),
  }
}

function bestOf(column: HeatMapColumn | undefined, side: 'bestBidUnits' | 'bestAskUnits'): number | null {
  return column === undefined ? null : priceOf(column[side])
}
