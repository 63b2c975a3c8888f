import { type Level, PRICE_ONE } from '../../domain/book.ts'
import { PRICE_DECIMALS, SIZE_DECIMALS, unitsIn } from '../../domain/decimal.ts'
import { type Fields, Malformed, textIn } from '../frame-fields.ts'
import { TICKER } from './market-names.ts'

/** At the finest step, 0.0001, a side may have 9,999 levels. */
const MOST_LEVELS = 10_000
const MOST_CACHED_PRICES = 20_000
const LONGEST_PRICE = 12
const LONGEST_SIZE = 24
const LATEST_MS = 10_000_000_000_000

export function countIn(fields: Fields, key: string): number {
  const value = fields[key]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Malformed(`${key} is ${value === undefined ? 'missing' : 'not a whole number'}`)
  return value
}

export function tickerIn(fields: Fields, key = 'market_ticker'): string {
  const ticker = textIn(fields, key)
  if (!TICKER.test(ticker)) throw new Malformed(`${key} has an unexpected format`)
  return ticker
}

/** The venue's time in milliseconds; undefined when the frame has none. */
export function timeIn(fields: Fields): number | undefined {
  const { ts_ms: timeMs } = fields
  if (timeMs === undefined || timeMs === null) return undefined
  if (typeof timeMs !== 'number' || !Number.isInteger(timeMs) || timeMs <= 0 || timeMs >= LATEST_MS)
    throw new Malformed('ts_ms is not a time in milliseconds')
  return timeMs
}

const knownPrices = new Map<string, number>()

/** Few different prices come thousands of times each, so each text is parsed once. */
function priceUnits(text: string): number | undefined {
  const known = knownPrices.get(text)
  if (known !== undefined) return known
  const units = text.length > LONGEST_PRICE ? undefined : unitsIn(text, PRICE_DECIMALS)
  if (units === undefined || units === 0 || units >= PRICE_ONE) return undefined
  if (knownPrices.size < MOST_CACHED_PRICES) knownPrices.set(text, units)
  return units
}

/** The price of an order: above 0 and below 1. */
export function priceIn(fields: Fields, key: string): number {
  return priceOf(textIn(fields, key), key)
}

function priceOf(text: unknown, what: string): number {
  const units = typeof text === 'string' ? priceUnits(text) : undefined
  if (units === undefined) throw new Malformed(`${what} is not a price between 0 and 1 with at most 4 decimals`)
  return units
}

export function sizeIn(fields: Fields, key: string): number {
  return sizeOf(textIn(fields, key), key)
}

/** A size with an optional minus sign. */
export function sizeChangeIn(fields: Fields, key: string): number {
  const text = textIn(fields, key)
  return text.startsWith('-') ? 0 - sizeOf(text.slice(1), key) : sizeOf(text, key)
}

function sizeOf(text: unknown, what: string): number {
  const units = typeof text === 'string' && text.length <= LONGEST_SIZE ? unitsIn(text, SIZE_DECIMALS) : undefined
  if (units === undefined) throw new Malformed(`${what} is not a size with at most 6 decimals`)
  return units
}

/** The bids of one outcome, `[price, size]` each; an empty side is left out by the venue. */
export function bidsIn(fields: Fields, key: string): Level[] {
  const list = fields[key] ?? []
  if (!Array.isArray(list)) throw new Malformed(`${key} is not a list`)
  if (list.length > MOST_LEVELS) throw new Malformed(`${key} has ${list.length} levels, more than ${MOST_LEVELS}`)
  return list.map((pair: unknown) => {
    if (!Array.isArray(pair) || pair.length !== 2) throw new Malformed(`${key} has a level that is not a pair`)
    const level = { price: priceOf(pair[0], key), size: sizeOf(pair[1], key) }
    if (level.size === 0) throw new Malformed(`${key} has a level with size 0`)
    return level
  })
}
