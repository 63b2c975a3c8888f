import { z } from 'zod'
import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE } from '../../domain/decimal.ts'
import { type HeatMapTile, MARKET_SCALE } from '../../domain/heat-map.ts'
import { slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { HeatMapRequest } from '../../stores/books/heat-maps.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { MarketParams, Moment, Side } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import {
  ColumnMs,
  FINAL_FOR_SECONDS,
  heatMapTile,
  slotsPerColumnOf,
  storedRowsOf,
  TILE_PRICE,
  tileCredits,
  tileMembers,
  tileMembersOf,
  tileTimeAt,
} from '../shared/heat-map-tile.ts'
import { recordedRange, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import type { Stores } from '../stores.ts'

const PRICE_STEPS = ['0.001', '0.005', '0.01', '0.05'] as const
const HeatMap = z
  .object({
    market_id: z.string(),
    venue: VenueName,
    side: Side,
    ...tileMembers,
    revision: z.int().describe('1, and 1 more for each correction of an hour of the tile'),
  })
  .meta({ id: 'HeatMap' })

const Query = z.object({
  from: Moment.describe('a time in the tile; tiles start at multiples of 256 columns'),
  side: Side.default('UP').describe('the token'),
  column_ms: ColumnMs,
  price_step: z.enum(PRICE_STEPS).default('0.01'),
})

export const getMarketHeatmap = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/heatmap',
  name: 'get_market_heatmap',
  group: 'History',
  summary: 'Get a tile of the heat map of a market: sizes by time and price',
  description: `A tile has 256 columns. ${TILE_PRICE}`,
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
    const time = tileTimeAt(query.from, columnMs)
    require({ historyAgeMs: nowMs - Math.min(time.fromMs, nowMs) })
    const stepUnits = Math.round(Number(query.price_step) * PRICE_ONE)
    const request: HeatMapRequest = {
      marketId: market.id,
      intervalMs,
      ...slotsIn(time, intervalMs),
      outcome: query.side === 'UP' ? 0 : 1,
      slotsPerColumn,
      stepUnits,
    }
    const creditsFor = (rows: number): number => tileCredits(rows, slotsPerColumn, intervalMs)
    const requireCredits = async (rows: number): Promise<void> => {
      const credits = creditsFor(rows)
      if (credits > 0) await callerContext?.requireCredits(credits, `heatmap:${market.id}:${time.fromMs}:${columnMs}`)
    }
    const { revision, isBeingCorrected } = await stores.corrections.revisionIn({ marketId: market.id, ...time })
    const key = [market.id, query.side, time.fromMs, columnMs, stepUnits, revision].join(' ')
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
        ...tileMembersOf(tile, time, columnMs, MARKET_SCALE),
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
  const form = {
    ...request,
    rows: PRICE_ONE / request.stepUnits,
    firstStep: 0,
    scale: MARKET_SCALE,
    sizeOne: SIZE_ONE,
    priceOne: PRICE_ONE,
  }
  return heatMapTile({ form, time, known, columns, cells, gaps, nowMs })
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
