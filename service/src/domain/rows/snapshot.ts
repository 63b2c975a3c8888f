import { type Ladders, type Level, mirrorOf } from '../book.ts'
import { slotTimeMs } from '../slot.ts'
import { hexId, instant, uint16, uint16List, uint32, uint64, uint64List } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** One bit each; a new flag takes the next bit, and a bit never changes its meaning. */
export const SNAPSHOT_FLAGS = {
  /** The book of the first token was proved equal to the venue's book at its event time. */
  verifiedUp: 1,
  verifiedDown: 2,
  /** The second token's book is the exact mirror of the first's, and is not stored. */
  mirrored: 4,
  oneSided: 8,
  /** Proved, but best bid and ask touch or cross; the venue's own book does this for milliseconds. */
  crossed: 16,
  hasSpot: 32,
  /** The spot price is Chainlink's; without this flag it is Binance's. */
  chainlinkSpot: 64,
} as const

/** One market at one slot: the books of both tokens, with their times. */
export interface Snapshot {
  marketId: string
  slot: number
  intervalMs: number
  capturedAtMs: number
  eventAtMs: number
  receivedAtMs: number
  flags: number
  /** In units of 0.00000001 USD; 0 without `hasSpot`. */
  spotPrice: number
  spotAgeMs: number
  /** Batches applied since the slot before. */
  changes: number
  up: Ladders
  down: Ladders
}

const NO_LADDERS: Ladders = { bids: [], asks: [] }
const prices = uint16List(({ price }: Level) => price)
const sizes = uint64List(({ size }: Level) => size)

/** The key is (market_id, slot); a repeated row replaces itself. */
export const snapshotSchema = rowSchemaOf<Snapshot>()(
  ({ column }) => ({
    market_id: column(hexId, (row) => row.marketId),
    slot: column(uint64, (row) => row.slot),
    slot_at: column(instant, (row) => slotTimeMs(row.slot, row.intervalMs)),
    interval_ms: column(uint32, (row) => row.intervalMs),
    captured_at: column(instant, (row) => row.capturedAtMs),
    event_at: column(instant, (row) => row.eventAtMs),
    received_at: column(instant, (row) => row.receivedAtMs),
    flags: column(uint16, (row) => row.flags),
    spot_price: column(uint64, (row) => row.spotPrice),
    spot_age_ms: column(uint32, (row) => row.spotAgeMs),
    changes: column(uint32, (row) => row.changes),
    up_bid_prices: column(prices, (row) => row.up.bids),
    up_bid_sizes: column(sizes, (row) => row.up.bids),
    up_ask_prices: column(prices, (row) => row.up.asks),
    up_ask_sizes: column(sizes, (row) => row.up.asks),
    down_bid_prices: column(prices, (row) => storedDown(row).bids),
    down_bid_sizes: column(sizes, (row) => storedDown(row).bids),
    down_ask_prices: column(prices, (row) => storedDown(row).asks),
    down_ask_sizes: column(sizes, (row) => storedDown(row).asks),
  }),
  (values) => {
    const up = {
      bids: levelsOf(values.up_bid_prices, values.up_bid_sizes),
      asks: levelsOf(values.up_ask_prices, values.up_ask_sizes),
    }
    const down = {
      bids: levelsOf(values.down_bid_prices, values.down_bid_sizes),
      asks: levelsOf(values.down_ask_prices, values.down_ask_sizes),
    }
    return {
      marketId: values.market_id,
      slot: values.slot,
      intervalMs: values.interval_ms,
      capturedAtMs: values.captured_at,
      eventAtMs: values.event_at,
      receivedAtMs: values.received_at,
      flags: values.flags,
      spotPrice: values.spot_price,
      spotAgeMs: values.spot_age_ms,
      changes: values.changes,
      up,
      down: values.flags & SNAPSHOT_FLAGS.mirrored ? mirrorOf(up) : down,
    }
  },
)

export const { write: writeSnapshot, read: readSnapshot, columns: SNAPSHOT_COLUMNS } = snapshotSchema

function storedDown({ flags, down }: Snapshot): Ladders {
  return flags & SNAPSHOT_FLAGS.mirrored ? NO_LADDERS : down
}

function levelsOf(priceList: readonly number[], sizeList: readonly number[]): Level[] {
  if (sizeList.length !== priceList.length) throw new Error(`${priceList.length} prices with ${sizeList.length} sizes`)
  return priceList.map((price, index) => ({ price, size: sizeList[index] ?? 0 }))
}
