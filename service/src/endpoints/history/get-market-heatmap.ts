import { z } from 'zod'
import { PRICE_ONE } from '../../domain/book.ts'
import { HEAT_SCALE, type HeatMapTile, TILE_COLUMNS } from '../../domain/heat-map.ts'
import { slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { HeatMapRequest } from '../../stores/books/heat-maps.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { MarketParams, Moment, Side, wholeNumber } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { recordedRange, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import type { Stores } from '../stores.ts'
import { heatMapTile, storedRowsOf } from './heat-map-tile.ts'

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
    revision: z.int().describe('1, and 1 more for each correction of an hour of the tile'),
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
    const time = { fromMs, toMs: fromMs + tileMs }
    require({ historyAgeMs: nowMs - Math.min(fromMs, nowMs) })
    const stepUnits = Math.round(Number(query.price_step) * PRICE_ONE)
    const request: HeatMapRequest = {
      marketId: market.id,
      intervalMs,
      ...slotsIn(time, intervalMs),
      outcome: query.side === 'UP' ? 0 : 1,
      slotsPerColumn,
      stepUnits,
    }
    const creditsFor = (rows: number): number =>
      slotsPerColumn >= FREE_FROM_SLOTS && columnMs >= FREE_FROM_MS ? 0 : Math.ceil(rows / ROWS_PER_CREDIT)
    const requireCredits = async (rows: number): Promise<void> => {
      const credits = creditsFor(rows)
      if (credits > 0) await callerContext?.requireCredits(credits, `heatmap:${market.id}:${fromMs}:${columnMs}`)
    }
    const { revision, isBeingCorrected } = await stores.corrections.revisionIn({ marketId: market.id, ...time })
    const key = [market.id, query.side, fromMs, columnMs, stepUnits, revision].join(' ')
    const kept = isBeingCorrected ? undefined : stores.finalTiles.get(key)
    if (kept !== undefined) await requireCredits(kept.storedRows)
    const tile = kept ?? (await readTile({ stores, market, request, time, nowMs, signal, requireCredits }))
    if (!isBeingCorrected) stores.finalTiles.keep(key, tile)
    const isFinal = tile.isFinal && !isBeingCorrected
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
        rows: PRICE_ONE / stepUnits,
        scale: { ...HEAT_SCALE },
        bids: tile.bids,
        asks: tile.asks,
        best_bid: [...tile.bestBid],
        best_ask: [...tile.bestAsk],
        stored: [...tile.stored],
        expected: [...tile.expected],
        suspect: [...tile.suspect],
        is_final: isFinal,
        revision,
      },
      credits: creditsFor(tile.storedRows),
      ...(tile.storedRows === 0 && { emptyReason: await whyEmpty(stores, market, tile, time, nowMs) }),
      ...(isFinal && { maxAgeSeconds: FINAL_FOR_SECONDS }),
    }
  },
})

interface TileRead {
  readonly stores: Stores
  readonly market: FoundMarket
  readonly request: HeatMapRequest
  readonly time: TimeRange
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly requireCredits: (rows: number) => Promise<void>
}

async function readTile(read: TileRead): Promise<HeatMapTile> {
  const { stores, market, request, time, nowMs, signal, requireCredits } = read
  const [known, columns, gaps] = await Promise.all([
    recordedRange(stores, market, nowMs),
    stores.heatMaps.columns(request, signal),
    stores.gaps.range({ marketId: market.id, intervalMs: request.intervalMs, ...time }),
  ])
  await requireCredits(storedRowsOf(columns))
  const hasSums = columns.some((column) => column.hasSums)
  const cells = columns.length === 0 ? [] : await stores.heatMaps.cells(request, hasSums, signal)
  return heatMapTile({ request, time, known, columns, cells, gaps, nowMs })
}

async function whyEmpty(
  stores: Stores,
  market: FoundMarket,
  { expected }: HeatMapTile,
  time: TimeRange,
  nowMs: number,
): Promise<EmptyReason> {
  if (expected.some((slots) => slots > 0)) return 'gap'
  const known = await recordedRange(stores, market, nowMs)
  return known === undefined ? whyNothing(stores, market, nowMs) : whyOutside(stores, time, nowMs)
}

function slotsPerColumnOf(columnMs: number | undefined, intervalMs: number): number {
  const slots = columnMs === undefined ? DEFAULT_SLOTS_PER_COLUMN : columnMs / intervalMs
  if (Number.isInteger(Math.log2(slots)) && slots >= 1 && slots <= MAX_SLOTS_PER_COLUMN) return slots
  throw invalidParameter(
    'column_ms',
    `must be ${intervalMs} (the sampling interval of the market) times 1, 2, 4 and so on up to ${MAX_SLOTS_PER_COLUMN}, got ${columnMs}`,
  )
}
