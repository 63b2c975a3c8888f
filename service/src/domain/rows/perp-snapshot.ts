import { slotTimeMs } from '../slot.ts'
import type { RowReader, RowWriter } from './row-binary.ts'

/** Perp prices and sizes count 0.000001. */
export const PERP_DECIMALS = 6

export interface PerpLevel {
  readonly price: number
  readonly size: number
  readonly orders: number
}

export interface PerpLadders {
  readonly bids: readonly PerpLevel[]
  readonly asks: readonly PerpLevel[]
}

/** Best bid and ask, fresher than the ladders; sizes 0 when that side is empty. */
export interface PerpTouch {
  bidPrice: number
  bidSize: number
  askPrice: number
  askSize: number
  eventAtMs: number
}

/** One perp at one slot: the newest whole book, and beside it the fresh touch; the two are never merged. */
export interface PerpSnapshot {
  venue: string
  symbol: string
  slot: number
  intervalMs: number
  capturedAtMs: number
  /** Of the ladders. */
  eventAtMs: number
  receivedAtMs: number
  ladders: PerpLadders
  touch: PerpTouch
}

/** The id under which a perp's gaps are kept: its name, padded to the length of every other market's id. */
export function perpMarketId(venue: string, symbol: string): string {
  return `0x${Buffer.from(`perp:${venue}:${symbol}`).toString('hex').padEnd(64, '0')}`
}

export const PERP_SNAPSHOT_COLUMNS = [
  ['venue', 'LowCardinality(String)'],
  ['symbol', 'LowCardinality(String)'],
  ['slot', 'UInt64'],
  ['slot_at', "DateTime64(3, 'UTC')"],
  ['interval_ms', 'UInt32'],
  ['captured_at', "DateTime64(3, 'UTC')"],
  ['event_at', "DateTime64(3, 'UTC')"],
  ['received_at', "DateTime64(3, 'UTC')"],
  ['bid_prices', 'Array(UInt64)'],
  ['bid_sizes', 'Array(UInt64)'],
  ['bid_orders', 'Array(UInt32)'],
  ['ask_prices', 'Array(UInt64)'],
  ['ask_sizes', 'Array(UInt64)'],
  ['ask_orders', 'Array(UInt32)'],
  ['touch_bid_price', 'UInt64'],
  ['touch_bid_size', 'UInt64'],
  ['touch_ask_price', 'UInt64'],
  ['touch_ask_size', 'UInt64'],
  ['touch_at', "DateTime64(3, 'UTC')"],
] as const

export function writePerpSnapshot(writer: RowWriter, row: PerpSnapshot): void {
  writer.string(row.venue)
  writer.string(row.symbol)
  writer.uint64(row.slot)
  writer.uint64(slotTimeMs(row.slot, row.intervalMs))
  writer.uint32(row.intervalMs)
  writer.uint64(row.capturedAtMs)
  writer.uint64(row.eventAtMs)
  writer.uint64(row.receivedAtMs)
  for (const levels of [row.ladders.bids, row.ladders.asks]) {
    writer.varint(levels.length)
    for (const { price } of levels) writer.uint64(price)
    writer.varint(levels.length)
    for (const { size } of levels) writer.uint64(size)
    writer.varint(levels.length)
    for (const { orders } of levels) writer.uint32(orders)
  }
  writer.uint64(row.touch.bidPrice)
  writer.uint64(row.touch.bidSize)
  writer.uint64(row.touch.askPrice)
  writer.uint64(row.touch.askSize)
  writer.uint64(row.touch.eventAtMs)
}

export function readPerpSnapshot(reader: RowReader): PerpSnapshot {
  const venue = reader.string()
  const symbol = reader.string()
  const slot = reader.uint64()
  reader.uint64()
  const intervalMs = reader.uint32()
  const capturedAtMs = reader.uint64()
  const eventAtMs = reader.uint64()
  const receivedAtMs = reader.uint64()
  const [bids, asks] = [readLevels(reader), readLevels(reader)]
  const touch = {
    bidPrice: reader.uint64(),
    bidSize: reader.uint64(),
    askPrice: reader.uint64(),
    askSize: reader.uint64(),
    eventAtMs: reader.uint64(),
  }
  return { venue, symbol, slot, intervalMs, capturedAtMs, eventAtMs, receivedAtMs, ladders: { bids, asks }, touch }
}

function readLevels(reader: RowReader): PerpLevel[] {
  const prices = Array.from({ length: reader.varint() }, () => reader.uint64())
  const sizes = Array.from({ length: reader.varint() }, () => reader.uint64())
  const orders = Array.from({ length: reader.varint() }, () => reader.uint32())
  if (sizes.length !== prices.length || orders.length !== prices.length)
    throw new Error('ladder columns of unequal length')
  return prices.map((price, index) => ({ price, size: sizes[index] ?? 0, orders: orders[index] ?? 0 }))
}
