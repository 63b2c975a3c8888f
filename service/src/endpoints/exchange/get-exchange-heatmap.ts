import { z } from 'zod'
import { type HeatMapTile, PERP_SCALE } from '../../domain/heat-map.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { TILE_PRICE } from '../../domain/prices.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { PERP_DECIMALS } from '../../domain/rows/perp-snapshot.ts'
import { NO_SLOTS, type SlotRange, slotCount, slotsIn, timeOf } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { PerpHeatMapColumn, PerpHeatMapRequest } from '../../stores/books/perp-heat-maps.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { Moment } from '../schemas/parameters.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import { invalidParameter } from '../schemas/read-values.ts'
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
import { RESTRICTION, RestrictedFrom, restrictedFromMember } from '../shared/perp-page.ts'
import type { PerpReads } from '../shared/perp-reads.ts'

const ONE = 10 ** PERP_DECIMALS
const MAX_ROWS = 1_000
/** The rows that a tile has at most when the step is chosen by the service. */
const USUAL_ROWS = 200
/** 1, 2, 5, 10, 20 … units. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()

const PerpHeatMap = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    venue: z.string().describe('the venue of the exchange'),
    ...tileMembers,
    restricted_from: RestrictedFrom,
  })
  .meta({ id: 'PerpHeatMap' })

const PriceStep = z
  .string()
  .transform((text, context): number => {
    const units = Math.round(Number(text) * ONE)
    if (/^\d{1,9}(\.\d{1,6})?$/.test(text) && units > 0) return units
    context.addIssue({ code: 'custom', message: 'must be a price above 0 with at most 6 decimals, such as 0.5' })
    return z.NEVER
  })
  .describe(`length of a row; default: 1, 2 or 5 times a power of ten, so that a tile has at most ${USUAL_ROWS} rows`)
  .meta({ override: { type: 'string', examples: ['5'] } })

export const getExchangeHeatmap = endpoint({
  method: 'GET',
  path: '/v1/exchange/heatmap',
  name: 'get_exchange_heatmap',
  group: 'Exchange',
  summary: 'Get a tile of the heat map of a perpetual future: sizes by time and price',
  description: `A tile has 256 columns; its rows are price steps from the lowest to the highest price of its books. It is ${TILE_PRICE}. ${RESTRICTION}`,
  priceRule: TILE_PRICE,
  access: { by: 'key', scope: 'history' },
  query: z.object({
    symbol: SymbolParameter,
    exchange: OptionalExchange,
    from: Moment.describe('a time in the tile; tiles start at multiples of 256 columns'),
    column_ms: ColumnMs,
    price_step: PriceStep.optional(),
  }),
  reply: PerpHeatMap,
  errors: ['tier_not_allowed'],

  async handle(request) {
    const { query, stores, perps, paidRead, signal, callerContext } = request
    const nowMs = paidRead?.atMs ?? request.nowMs
    const { symbol, exchange: venue } = query
    const intervalMs = PERP_INTERVAL_MS
    const slotsPerColumn = slotsPerColumnOf(query.column_ms, intervalMs)
    const columnMs = slotsPerColumn * intervalMs
    const time = tileTimeAt(query.from, columnMs)
    request.require({ historyAgeMs: nowMs - Math.min(time.fromMs, nowMs) })
    if (time.fromMs >= perps.untilMs) request.require('live_exchange_book')
    const form = { slotsPerColumn, intervalMs }
    const requireBooks = async (stored: readonly number[]): Promise<void> =>
      callerContext?.requireBooks(booksInTile(stored, form))
    const key = [venue, symbol, time.fromMs, columnMs, query.price_step].join(' ')
    // A retry reads as of its first request, which is not what others should get.
    const mayKeep = paidRead === undefined
    const kept = mayKeep ? stores.finalTiles.get(key) : undefined
    if (kept !== undefined) await requireBooks(kept.stored)
    const tileSlots = slotsIn({ ...time, toMs: Math.min(time.toMs, nowMs) }, intervalMs)
    const slots = slotsUpTo(tileSlots, paidRead?.upToSlot)
    const read = { venue, symbol, ...form, ...slots, tileSlot: tileSlots.fromSlot }
    const toRead = { perps, read, time, stepUnits: query.price_step, nowMs, signal, requireBooks }
    const { tile, readUpToSlot } = kept === undefined ? await readTile(toRead) : { tile: kept }
    if (mayKeep) stores.finalTiles.keep(key, tile)
    return {
      body: {
        exchange: `${venue}_perp`,
        symbol,
        venue,
        ...tileMembersOf(tile, time, columnMs, PERP_SCALE),
        is_final: tile.isFinal,
        ...restrictedFromMember(perps, time.toMs, nowMs),
      },
      exactBooks: () => booksInTile(tile.stored, form),
      readUpToSlot,
      ...(isEmptyTile(tile) && { emptyReason: await whyEmpty(perps, { venue, symbol }, tile) }),
      ...(tile.isFinal && { maxAgeSeconds: FINAL_FOR_SECONDS }),
    }
  },
})

interface TileRead {
  readonly perps: PerpReads
  readonly read: PerpHeatMapRequest
  readonly time: TimeRange
  readonly stepUnits: number | undefined
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly requireBooks: (stored: readonly number[]) => Promise<void>
}

/** What is recorded is known first, and no later row is read, so that a retry can read the same. */
async function readTile(given: TileRead): Promise<{ tile: HeatMapTile; readUpToSlot: number | undefined }> {
  const { perps, read, time, nowMs, signal, requireBooks } = given
  const { venue, symbol, intervalMs } = read
  const [stored, records] = await Promise.all([
    perps.recordedSlots({ venue, symbol }),
    perps.gaps({ venue, symbol, ...timeOf(read, intervalMs) }),
  ])
  const slots = stored === undefined ? NO_SLOTS : knownSlots(read, stored, records)
  const isKnown = slotCount(slots) > 0
  const toRead = { ...read, ...slots }
  const columns = isKnown ? await perps.heatMapColumns(toRead, signal) : []
  await requireBooks(columns.map((column) => column.stored))
  const grid = gridOf(columns, given.stepUnits)
  const cells = columns.length === 0 ? [] : await perps.heatMapCells(toRead, grid.stepUnits, signal)
  const known = isKnown ? timeOf(slots, intervalMs) : undefined
  const gaps = records.map((gap) => ({ ...gap, toSlot: Math.min(gap.toSlot, slots.toSlot) }))
  const form = { ...read, ...grid, scale: PERP_SCALE, sizeOne: ONE, priceOne: ONE }
  const tile = heatMapTile({ form, time, known, columns, cells, gaps, nowMs })
  return { tile, readUpToSlot: isKnown ? slots.toSlot : undefined }
}

/** From the first to the last stored slot, or to the end of a later gap, as far as the caller may read them. */
function knownSlots(readable: SlotRange, stored: SlotRange, gaps: readonly Gap[]): SlotRange {
  const missing = gaps.filter(({ kind }) => kind === 'missing')
  const lastSlot = missing.reduce((last, { toSlot }) => Math.max(last, toSlot), stored.toSlot)
  return { fromSlot: Math.max(readable.fromSlot, stored.fromSlot), toSlot: Math.min(readable.toSlot, lastSlot) }
}

function slotsUpTo<Slots extends SlotRange>(slots: Slots, last: number | undefined): Slots {
  return last === undefined ? slots : { ...slots, toSlot: Math.min(slots.toSlot, last) }
}

interface Grid {
  readonly stepUnits: number
  readonly firstStep: number
  readonly rows: number
}

/** The rows from the lowest to the highest price of the tile. */
function gridOf(columns: readonly PerpHeatMapColumn[], requested: number | undefined): Grid {
  const priced = columns.filter(({ highestUnits }) => highestUnits > 0)
  if (priced.length === 0) return { stepUnits: requested ?? ONE, firstStep: 0, rows: 0 }
  const lowest = priced.reduce((least, { lowestUnits }) => Math.min(least, lowestUnits), Infinity)
  const highest = priced.reduce((most, { highestUnits }) => Math.max(most, highestUnits), 0)
  const rowsWith = (units: number): number => Math.floor(highest / units) - Math.floor(lowest / units) + 1
  const stepUnits = requested ?? STEPS.find((units) => rowsWith(units) <= USUAL_ROWS) ?? ONE
  const rows = rowsWith(stepUnits)
  if (rows > MAX_ROWS) {
    const least = (STEPS.find((units) => rowsWith(units) <= MAX_ROWS) ?? ONE) / ONE
    throw invalidParameter('price_step', `must be at least ${least} for this tile, which would have ${rows} rows`)
  }
  return { stepUnits, firstStep: Math.floor(lowest / stepUnits), rows }
}

async function whyEmpty(
  perps: PerpReads,
  perp: { readonly venue: string; readonly symbol: string },
  { expected }: HeatMapTile,
): Promise<EmptyReason> {
  if (expected.some((slots) => slots > 0)) return 'gap'
  return (await perps.recordedSince(perp)) === undefined ? 'not_recorded_yet' : 'outside_capture'
}
