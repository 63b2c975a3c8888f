import type { Level } from './book-hash.ts'
import { ONE, toUnits } from './decimal.ts'

export interface BookEvent {
  readonly kind: 'book'
  readonly market: string
  readonly assetId: string
  readonly timestamp: string
  readonly hash: string
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
  /** Only a first book states these two; the book after a trade does not. */
  readonly tickSize: string | undefined
  readonly lastTradePrice: string | undefined
}

export interface PriceChange {
  readonly assetId: string
  readonly price: string
  readonly size: string
  readonly side: 'BUY' | 'SELL'
  readonly hash: string
  readonly bestBid: string
  readonly bestAsk: string
}

export type MarketEvent =
  | BookEvent
  | { kind: 'price_change'; market: string; timestamp: string; changes: readonly PriceChange[] }
  | { kind: 'last_trade_price'; market: string; timestamp: string; price: string }
  | { kind: 'tick_size_change'; market: string; assetId: string; newTickSize: string }
  | { kind: 'best_bid_ask' | 'new_market' | 'market_resolved' }
  | { kind: 'unknown'; eventType: string }
  | { kind: 'malformed'; reason: string }

/** The events of one text frame, or nothing when the frame is no JSON (`PONG`, `NO NEW ASSETS`). */
export function readFrame(text: string): MarketEvent[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return (Array.isArray(value) ? value : [value]).map((each) => {
    try {
      return readEvent(fieldsOf(each))
    } catch (error) {
      return { kind: 'malformed', reason: error instanceof Error ? error.message : String(error) }
    }
  })
}

type Fields = Readonly<Record<string, unknown>>

function readEvent(fields: Fields): MarketEvent {
  const eventType = text(fields, 'event_type')
  switch (eventType) {
    case 'book':
      return {
        kind: eventType,
        market: text(fields, 'market'),
        assetId: text(fields, 'asset_id'),
        timestamp: text(fields, 'timestamp'),
        hash: text(fields, 'hash'),
        bids: list(fields, 'bids').map(readLevel),
        asks: list(fields, 'asks').map(readLevel),
        tickSize: 'tick_size' in fields ? text(fields, 'tick_size') : undefined,
        lastTradePrice: 'last_trade_price' in fields ? text(fields, 'last_trade_price') : undefined,
      }
    case 'price_change':
      return {
        kind: eventType,
        market: text(fields, 'market'),
        timestamp: text(fields, 'timestamp'),
        changes: list(fields, 'price_changes').map(readChange),
      }
    case 'last_trade_price':
      return {
        kind: eventType,
        market: text(fields, 'market'),
        timestamp: text(fields, 'timestamp'),
        price: price(fields, 'price'),
      }
    case 'tick_size_change':
      return {
        kind: eventType,
        market: text(fields, 'market'),
        assetId: text(fields, 'asset_id'),
        newTickSize: text(fields, 'new_tick_size'),
      }
    case 'best_bid_ask':
    case 'new_market':
    case 'market_resolved':
      return { kind: eventType }
    default:
      return { kind: 'unknown', eventType }
  }
}

function readLevel(value: unknown): Level {
  const fields = fieldsOf(value)
  return { price: price(fields, 'price'), size: decimal(fields, 'size') }
}

function readChange(value: unknown): PriceChange {
  const fields = fieldsOf(value)
  const side = text(fields, 'side')
  if (side !== 'BUY' && side !== 'SELL') throw new Error(`side is ${side}`)
  return {
    assetId: text(fields, 'asset_id'),
    price: price(fields, 'price'),
    size: decimal(fields, 'size'),
    side,
    hash: text(fields, 'hash'),
    bestBid: price(fields, 'best_bid'),
    bestAsk: price(fields, 'best_ask'),
  }
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`an object is expected, not ${JSON.stringify(value)}`)
  return value as Fields
}

function text(fields: Fields, key: string): string {
  const value = fields[key]
  if (typeof value !== 'string') throw new Error(`${key} is ${JSON.stringify(value) ?? 'missing'}, not a text`)
  return value
}

function decimal(fields: Fields, key: string): string {
  const value = text(fields, key)
  toUnits(value)
  return value
}

function price(fields: Fields, key: string): string {
  const value = text(fields, key)
  if (toUnits(value) > ONE) throw new Error(`${key} is ${value}, above 1`)
  return value
}

function list(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new Error(`${key} is ${JSON.stringify(value) ?? 'missing'}, not a list`)
  return value
}
