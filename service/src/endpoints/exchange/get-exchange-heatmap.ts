import { z } from 'zod'
import { type HeatMapTile, PERP_SCALE } from '../../domain/heat-map.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import type { Gap } from '../../domain/rows/gap.ts'
import { PERP_DECIMALS, perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import { NO_SLOTS, type SlotRange, slotCount, slotsIn, timeOf } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { PerpHeatMapColumn, PerpHeatMapRequest } from '../../stores/books/perp-heat-maps.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { Moment } from '../schemas/parameters.ts'
import { OptionalExchange, SymbolParameter } from '../schemas/perp-book.ts'
import { invalidParameter } from '../schemas/read-values.ts'
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
import { RESTRICTION, RestrictedFrom, readableUntilMs, restrictedFromMember } from '../shared/perp-page.ts'
import type { Stores } from '../stores.ts'

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
    const { query, stores, paidRead, signal, callerContext } = request
    const nowMs = paidRead?.atMs ?? request.nowMs
    const { symbol, exchange: venue } = query
    const intervalMs = PERP_INTERVAL_MS
    const slotsPerColumn = slotsPerColumnOf(query.column_ms, intervalMs)
    const columnMs = slotsPerColumn * intervalMs
    const time = tileTimeAt(query.from, columnMs)
    request.require({ historyAgeMs: nowMs - Math.min(time.fromMs, nowMs) })
    const untilMs = readableUntilMs({ ...request, nowMs })
    if (time.fromMs >= untilMs) request.require('live_exchange_book')
    const readable = { fromMs: time.fromMs, toMs: Math.min(time.toMs, untilMs, nowMs) }
    const creditsFor = (rows: number): number => tileCredits(rows, slotsPerColumn, intervalMs)
    const requireCredits = async (rows: number): Promise<void> => {
      const credits = creditsFor(rows)
      if (credits > 0) await callerContext?.requireCredits(credits)
    }
    const key = [venue, symbol, time.fromMs, columnMs, query.price_step].join(' ')
    // A retry reads as of its first request, which is not what others should get.
    const mayKeep = paidRead === undefined
    const kept = mayKeep ? stores.finalTiles.get(key) : undefined
    if (kept !== undefined) await requireCredits(kept.storedRows)
    const slots = slotsUpTo(slotsIn(readable, intervalMs), paidRead?.upToSlot)
    const read = { venue, symbol, intervalMs, ...slots, slotsPerColumn, tileSlot: slotsIn(time, intervalMs).fromSlot }
    const toRead = { stores, read, time, stepUnits: query.price_step, nowMs, signal, requireCredits }
    const { tile, readUpToSlot } = kept === undefined ? await readTile(toRead) : { tile: kept }
    if (mayKeep) stores.finalTiles.keep(key, tile)
    return {
      body: {
        exchange: `${venue}_perp`,
        symbol,
        venue,
        ...tileMembersOf(tile, time, columnMs, PERP_SCALE),
        is_final: tile.isFinal,
        ...restrictedFromMember(readable.toMs, time.toMs, nowMs),
      },
      credits: creditsFor(tile.storedRows),
      readUpToSlot,
      ...(tile.storedRows === 0 && { emptyReason: await whyEmpty(stores, { venue, symbol }, tile) }),
      ...(tile.isFinal && { maxAgeSeconds: FINAL_FOR_SECONDS }),
    }
  },
})

interface TileRead {
  readonly stores: Stores
  readonly read: PerpHeatMapRequest
  readonly time: TimeRange
  readonly stepUnits: number | undefined
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly requireCredits: (rows: number) => Promise<void>
}

/** What is recorded is known first, and no later row is read, so that a retry can read the same. */
async function readTile(given: TileRead): Promise<{ tile: HeatMapTile; readUpToSlot: number | undefined }> {
  const { stores, read, time, nowMs, signal, requireCredits } = given
  const { venue, symbol, intervalMs } = read
  const [stored, records] = await Promise.all([
    stores.perps.recordedSlots({ venue, symbol }),
    stores.gaps.range({ marketId: perpMarketId(venue, symbol), intervalMs, ...timeOf(read, intervalMs) }),
  ])
  const slots = stored === undefined ? NO_SLOTS : knownSlots(read, stored, records)
  const isKnown = slotCount(slots) > 0
  const toRead = { ...read, ...slots }
  const columns = isKnown ? await stores.perpHeatMaps.columns(toRead, signal) : []
  await requireCredits(storedRowsOf(columns))
  const grid = gridOf(columns, given.stepUnits)
  const cells = columns.length === 0 ? [] : await stores.perpHeatMaps.cells(toRead, grid.stepUnits, signal)
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
  { perps }: Stores,
  perp: { readonly venue: string; readonly symbol: string },
  { expected }: HeatMapTile,
): Promise<EmptyReason> {
  if (expected.some((slots) => slots > 0)) return 'gap'
  return (await perps.recordedSince(perp)) === undefined ? 'not_recorded_yet' : 'outside_capture'
}
