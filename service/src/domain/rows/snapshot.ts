import { type Ladders, type Level, mirrorOf } from '../book.ts'
import { slotTimeMs } from '../slot.ts'
import type { RowReader, RowWriter } from './row-binary.ts'

/** Claims about a row, one bit each; a new one takes the next bit, none is ever given another meaning. */
export const SNAPSHOT_FLAGS = {
  /** The first token's book was proved equal to the venue's as of its event time. */
  verifiedUp: 1,
  verifiedDown: 2,
  /** The second token's book is the exact mirror of the first's, and is not stored. */
  mirrored: 4,
  oneSided: 8,
  /** Proved, yet best bid and ask touch or cross, which the venue's own book does for milliseconds. */
  crossed: 16,
  hasSpot: 32,
} as const

/** One market at one slot: both tokens' books, and when each thing was true. */
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

/** In ClickHouse's order and types; the key is (market_id, slot), and a repeat of a row is harmless. */
export const SNAPSHOT_COLUMNS = [
  ['market_id', 'FixedString(32)'],
  ['slot', 'UInt64'],
  ['slot_at', "DateTime64(3, 'UTC')"],
  ['interval_ms', 'UInt32'],
  ['captured_at', "DateTime64(3, 'UTC')"],
  ['event_at', "DateTime64(3, 'UTC')"],
  ['received_at', "DateTime64(3, 'UTC')"],
  ['flags', 'UInt16'],
  ['spot_price', 'UInt64'],
  ['spot_age_ms', 'UInt32'],
  ['changes', 'UInt32'],
  ['up_bid_prices', 'Array(UInt16)'],
  ['up_bid_sizes', 'Array(UInt64)'],
  ['up_ask_prices', 'Array(UInt16)'],
  ['up_ask_sizes', 'Array(UInt64)'],
  ['down_bid_prices', 'Array(UInt16)'],
  ['down_bid_sizes', 'Array(UInt64)'],
  ['down_ask_prices', 'Array(UInt16)'],
  ['down_ask_sizes', 'Array(UInt64)'],
] as const

export function writeSnapshot(writer: RowWriter, snapshot: Snapshot): void {
  writer.hexBytes(snapshot.marketId, 32)
  writer.uint64(snapshot.slot)
  writer.uint64(slotTimeMs(snapshot.slot, snapshot.intervalMs))
  writer.uint32(snapshot.intervalMs)
  writer.uint64(snapshot.capturedAtMs)
  writer.uint64(snapshot.eventAtMs)
  writer.uint64(snapshot.receivedAtMs)
  writer.uint16(snapshot.flags)
  writer.uint64(snapshot.spotPrice)
  writer.uint32(snapshot.spotAgeMs)
  writer.uint32(snapshot.changes)
  writeLadders(writer, snapshot.up)
  writeLadders(writer, snapshot.flags & SNAPSHOT_FLAGS.mirrored ? NO_LADDERS : snapshot.down)
}

export function readSnapshot(reader: RowReader): Snapshot {
  const marketId = reader.hexBytes(32)
  const slot = reader.uint64()
  reader.uint64()
  const intervalMs = reader.uint32()
  const capturedAtMs = reader.uint64()
  const eventAtMs = reader.uint64()
  const receivedAtMs = reader.uint64()
  const flags = reader.uint16()
  const spotPrice = reader.uint64()
  const spotAgeMs = reader.uint32()
  const changes = reader.uint32()
  const up = readLadders(reader)
  const stored = readLadders(reader)
  const down = flags & SNAPSHOT_FLAGS.mirrored ? mirrorOf(up) : stored
  return {
    marketId,
    slot,
    intervalMs,
    capturedAtMs,
    eventAtMs,
    receivedAtMs,
    flags,
    spotPrice,
    spotAgeMs,
    changes,
    up,
    down,
  }
}

const NO_LADDERS: Ladders = { bids: [], asks: [] }

function writeLadders(writer: RowWriter, { bids, asks }: Ladders): void {
  for (const levels of [bids, asks]) {
    writer.varint(levels.length)
    for (const { price } of levels) writer.uint16(price)
    writer.varint(levels.length)
    for (const { size } of levels) writer.uint64(size)
  }
}

function readLadders(reader: RowReader): Ladders {
  const [bids, asks] = [readLevels(reader), readLevels(reader)]
  return { bids, asks }
}

function readLevels(reader: RowReader): Level[] {
  const prices = Array.from({ length: reader.varint() }, () => reader.uint16())
  const sizes = Array.from({ length: reader.varint() }, () => reader.uint64())
  if (sizes.length !== prices.length) throw new Error(`${prices.length} prices with ${sizes.length} sizes`)
  return prices.map((price, index) => ({ price, size: sizes[index] ?? 0 }))
}
