import { z } from 'zod'
import { PRICE_ONE } from '../../domain/book.ts'
import { SIZE_ONE } from '../../domain/decimal.ts'
import { type HeatMapTile, MARKET_SCALE } from '../../domain/heat-map.ts'
import type { PaidRead } from '../../domain/paid-read.ts'
import { hasExactColumns, TILE_PRICE } from '../../domain/prices.ts'
import { slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { RangeRevision } from '../../stores/books/corrections.ts'
import type { HeatMapRequest } from '../../stores/books/heat-maps.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { MarketParams, Moment, Side } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import {
  booksInTile,
  ColumnMs,
  FINAL_FOR_SECONDS,
  heatMapTile,
  isEmptyTile,
  slotsPerColumnOf,
  tileMembers,
  tileMembersOf,
  tileTimeAt,
} from '../shared/heat-map-tile.ts'
import { recordedDays, recordedRange, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import { historyFrom } from '../shared/requested-range.ts'
import { tileSince } from '../shared/tile-of-tier.ts'
import type { Stores } from '../stores.ts'

const PRICE_STEPS = ['0.001', '0.005', '0.01', '0.05'] as const
export const HeatMap = z
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
  description: `A tile has 256 columns. It is ${TILE_PRICE}. In a tile with the oldest time that the tier includes, the columns that start before it are empty.`,
  priceRule: TILE_PRICE,
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: Query,
  reply: HeatMap,
  errors: ['market_not_found'],

  async handle({ params, query, stores, paidRead, signal, require, caller, callerContext, ...given }) {
    const market = await findMarket(stores, params.id, given.nowMs)
    const nowMs = paidRead?.atMs ?? given.nowMs
    require({ category: market.category })
    const intervalMs = market.captureIntervalMs
    const slotsPerColumn = slotsPerColumnOf(query.column_ms, intervalMs)
    const columnMs = slotsPerColumn * intervalMs
    const time = tileTimeAt(query.from, columnMs)
    require({ historyAgeMs: nowMs - Math.min(time.toMs - 1, nowMs) })
    const stepUnits = Math.round(Number(query.price_step) * PRICE_ONE)
    const request: HeatMapRequest = {
      marketId: market.id,
      intervalMs,
      ...slotsIn(time, intervalMs),
      outcome: query.side === 'UP' ? 0 : 1,
      slotsPerColumn,
      stepUnits,
    }
    const requireBooks = async (stored: readonly number[]): Promise<void> =>
      callerContext?.requireBooks(booksInTile(stored, request))
    const range = { marketId: market.id, ...time }
    const keyOf = (revision: number): string =>
      [market.id, query.side, time.fromMs, columnMs, stepUnits, revision].join(' ')
    const known = await stores.revisions.find(range)
    // A retry reads as of its first request, which is not what others should get.
    const mayKeep = paidRead === undefined
    const kept = mayKeep && known?.isBeingCorrected === false ? stores.finalTiles.get(keyOf(known.revision)) : undefined
    if (kept !== undefined) await requireBooks(kept.stored)
    const {
      tile: whole,
      revised: { revision, isBeingCorrected },
      readUpToSlot,
    } = kept !== undefined && known !== undefined
      ? { tile: kept, revised: known, readUpToSlot: undefined }
      : await readTile({
          stores,
          market,
          request,
          time,
          nowMs,
          paidRead,
          signal,
          requireBooks,
        })
    if (mayKeep && !isBeingCorrected) stores.finalTiles.keep(keyOf(revision), whole)
    const tile = tileSince(whole, columnMs, time.fromMs, historyFrom({ caller, nowMs }) ?? time.fromMs)
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
      exactBooks: () => booksInTile(tile.stored, request),
      readUpToSlot,
      ...(isEmptyTile(tile) && { emptyReason: await whyEmpty(stores, market, tile, time, nowMs) }),
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
  readonly paidRead: PaidRead | undefined
  readonly signal: AbortSignal
  readonly requireBooks: (stored: readonly number[]) => Promise<void>
}

interface ReadTile {
  readonly tile: HeatMapTile
  readonly revised: RangeRevision
  readonly readUpToSlot: number | undefined
}

/**
 * The revision and the range are known before any row: a tile must not mix rows of two revisions, so the revision is
 * not one of a second ago, and a retry can read the same because no later row is read.
 */
async function readTile(read: TileRead): Promise<ReadTile> {
  const { stores, market, time, nowMs, paidRead, signal, requireBooks } = read
  const { intervalMs } = read.request
  const [revised, recorded] = await Promise.all([
    stores.revisions.read({ marketId: market.id, ...time }),
    recordedDays(stores, market, { nowMs, areRowsWanted: false }),
  ])
  const known = recorded.known && upToSlot(recorded.known, paidRead?.upToSlot, intervalMs)
  const readUpToSlot = known && known.toMs / intervalMs - 1
  const request = { ...read.request, toSlot: Math.min(read.request.toSlot, readUpToSlot ?? read.request.toSlot) }
  const { columns, cells } = hasExactColumns(request.slotsPerColumn, intervalMs)
    ? await exactParts(stores, request, requireBooks, signal)
    : await stores.heatMaps.columnsAndCells(request, signal)
  const form = {
    ...read.request,
    rows: PRICE_ONE / request.stepUnits,
    firstStep: 0,
    scale: MARKET_SCALE,
    sizeOne: SIZE_ONE,
    priceOne: PRICE_ONE,
  }
  const gaps = recorded.gaps.filter(({ fromSlot, toSlot }) => fromSlot <= form.toSlot && toSlot >= form.fromSlot)
  return { tile: heatMapTile({ form, time, known, columns, cells, gaps, nowMs }), revised, readUpToSlot }
}

/** The price depends on the number of columns with a row, so they are counted before the books are read. */
async function exactParts(
  { heatMaps }: Pick<Stores, 'heatMaps'>,
  request: HeatMapRequest,
  requireBooks: TileRead['requireBooks'],
  signal: AbortSignal,
) {
  const columns = await heatMaps.columns(request, signal)
  await requireBooks(columns.map(({ stored }) => stored))
  const hasSums = columns.some((column) => column.hasSums)
  return { columns, cells: columns.length === 0 ? [] : await heatMaps.cells(request, hasSums, signal) }
}

function upToSlot({ fromMs, toMs }: TimeRange, slot: number | undefined, intervalMs: number): TimeRange {
  return { fromMs, toMs: slot === undefined ? toMs : Math.min(toMs, (slot + 1) * intervalMs) }
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
