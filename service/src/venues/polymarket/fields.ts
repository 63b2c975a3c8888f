import type { Level } from '../../domain/book.ts'
import { PRICE_ONE } from '../../domain/book.ts'
import { PRICE_DECIMALS, SIZE_DECIMALS, unitsIn } from '../../domain/decimal.ts'
import { type Fields, fieldsOf, Malformed, textIn } from '../frame-fields.ts'

/** Longer lists are refused. At the finest tick, 0.0001, a side may have 9,999 levels. */
export const MOST_LEVELS = 10_000
const MOST_CACHED_PRICES = 20_000

export function listIn(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new Malformed(`${key} is not a list`)
  if (value.length > MOST_LEVELS) throw new Malformed(`${key} has ${value.length} elements, more than ${MOST_LEVELS}`)
  return value
}

const MARKET_ID = /^0x[0-9a-f]{64}$/
const TOKEN_ID = /^[0-9]{1,78}$/
const HASH = /^[0-9a-f]{40}$/
const TIMESTAMP = /^[1-9][0-9]{0,12}$/

function matching(fields: Fields, key: string, form: RegExp): string {
  const value = textIn(fields, key)
  if (!form.test(value)) throw new Malformed(`${key} has an unexpected format`)
  return value
}

export function marketIdIn(fields: Fields, key = 'market'): string {
  return matching(fields, key, MARKET_ID)
}

export function tokenIdIn(fields: Fields, key = 'asset_id'): string {
  return matching(fields, key, TOKEN_ID)
}

export function hashIn(fields: Fields): string {
  return matching(fields, 'hash', HASH)
}

export function timestampIn(fields: Fields): number {
  return Number(matching(fields, 'timestamp', TIMESTAMP))
}

const knownPrices = new Map<string, number>()

/** Few different prices come thousands of times each, so each text is parsed once. */
function priceUnits(text: string): number | undefined {
  const known = knownPrices.get(text)
  if (known !== undefined) return known
  const units = text.length > 12 ? undefined : unitsIn(text, PRICE_DECIMALS)
  if (units === undefined || units > PRICE_ONE) return undefined
  if (knownPrices.size < MOST_CACHED_PRICES) knownPrices.set(text, units)
  return units
}

/** The price of an order: above 0 and below 1. */
export function orderPriceIn(fields: Fields): number {
  const units = priceUnits(textIn(fields, 'price'))
  if (units === undefined || units === 0 || units === PRICE_ONE) throw new Malformed('price is not between 0 and 1')
  return units
}

/** A best price in a change: 0 and 1 stand for an empty side; undefined when the frame has none. */
export function echoIn(fields: Fields, key: string): number | undefined {
  const value = fields[key]
  if (value === undefined || value === '' || value === null) return undefined
  const units = typeof value === 'string' ? priceUnits(value) : undefined
  if (units === undefined) throw new Malformed(`${key} is not a price`)
  return units
}

export function sizeIn(fields: Fields): number {
  const text = textIn(fields, 'size')
  const units = text.length > 24 ? undefined : unitsIn(text, SIZE_DECIMALS)
  if (units === undefined) throw new Malformed('size is not a valid number')
  return units
}

export function tickSizeIn(fields: Fields, key: string): string {
  const text = textIn(fields, key)
  const units = text.length > 12 ? undefined : unitsIn(text, SIZE_DECIMALS)
  if (units === undefined || units === 0) throw new Malformed(`${key} is not a tick size`)
  return text
}

/** The levels of one side, in the venue's order; a whole book has no zero sizes. */
export function levelsIn(fields: Fields, key: string): Level[] {
  return listIn(fields, key).map((element) => {
    const level = fieldsOf(element, 'a level')
    const size = sizeIn(level)
    if (size === 0) throw new Malformed('a level has size 0')
    return { price: orderPriceIn(level), size }
  })
}
