import { slotTimeMs } from '../slot.ts'
import { instant, lowCardinality, uint32, uint32List, uint64, uint64List } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** The unit of perp prices and sizes is 0.000001. */
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

/** One perp at one slot: the newest full book and the newer best prices; the two are never merged. */
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

/** The market id of a perp in gap records: its name, padded to the length of a condition id. */
export function perpMarketId(venue: string, symbol: string): string {
  return `0x${Buffer.from(`perp:${venue}:${symbol}`).toString('hex').padEnd(64, '0')}`
}

/** The perp with this market id; undefined for a market. */
export function perpOf(marketId: string): { readonly venue: string; readonly symbol: string } | undefined {
  const name = /^perp:([^:]+):([^:\0]+)\0*$/.exec(Buffer.from(marketId.slice(2), 'hex').toString('latin1'))
  const [, venue, symbol] = name ?? []
  return venue === undefined || symbol === undefined ? undefined : { venue, symbol }
}

const prices = uint64List(({ price }: PerpLevel) => price)
const sizes = uint64List(({ size }: PerpLevel) => size)
const orders = uint32List((level: PerpLevel) => level.orders)

/** The key is (venue, symbol, slot). */
export const perpSnapshotSchema = rowSchemaOf<PerpSnapshot>()(
  ({ column }) => ({
    venue: column(lowCardinality, (row) => row.venue),
    symbol: column(lowCardinality, (row) => row.symbol),
    slot: column(uint64, (row) => row.slot),
    slot_at: column(instant, (row) => slotTimeMs(row.slot, row.intervalMs)),
    interval_ms: column(uint32, (row) => row.intervalMs),
    captured_at: column(instant, (row) => row.capturedAtMs),
    event_at: column(instant, (row) => row.eventAtMs),
    received_at: column(instant, (row) => row.receivedAtMs),
    bid_prices: column(prices, (row) => row.ladders.bids),
    bid_sizes: column(sizes, (row) => row.ladders.bids),
    bid_orders: column(orders, (row) => row.ladders.bids),
    ask_prices: column(prices, (row) => row.ladders.asks),
    ask_sizes: column(sizes, (row) => row.ladders.asks),
    ask_orders: column(orders, (row) => row.ladders.asks),
    touch_bid_price: column(uint64, (row) => row.touch.bidPrice),
    touch_bid_size: column(uint64, (row) => row.touch.bidSize),
    touch_ask_price: column(uint64, (row) => row.touch.askPrice),
    touch_ask_size: column(uint64, (row) => row.touch.askSize),
    touch_at: column(instant, (row) => row.touch.eventAtMs),
  }),
  (values) => ({
    venue: values.venue,
    symbol: values.symbol,
    slot: values.slot,
    intervalMs: values.interval_ms,
    capturedAtMs: values.captured_at,
    eventAtMs: values.event_at,
    receivedAtMs: values.received_at,
    ladders: {
      bids: levelsOf(values.bid_prices, values.bid_sizes, values.bid_orders),
      asks: levelsOf(values.ask_prices, values.ask_sizes, values.ask_orders),
    },
    touch: {
      bidPrice: values.touch_bid_price,
      bidSize: values.touch_bid_size,
      askPrice: values.touch_ask_price,
      askSize: values.touch_ask_size,
      eventAtMs: values.touch_at,
    },
  }),
)

export const { write: writePerpSnapshot, read: readPerpSnapshot, columns: PERP_SNAPSHOT_COLUMNS } = perpSnapshotSchema

function levelsOf(
  priceList: readonly number[],
  sizeList: readonly number[],
  orderCounts: readonly number[],
): PerpLevel[] {
  if (sizeList.length !== priceList.length || orderCounts.length !== priceList.length)
    throw new Error('ladder columns have different lengths')
  return priceList.map((price, index) => ({ price, size: sizeList[index] ?? 0, orders: orderCounts[index] ?? 0 }))
}
