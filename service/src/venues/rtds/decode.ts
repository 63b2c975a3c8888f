import { usdUnitsIn } from '../../domain/decimal.ts'
import { COINS, type CoinSymbol } from '../../domain/market.ts'
import type { PriceSource } from '../../domain/price.ts'
import type { DecodedPrices, PriceEvent } from '../price-venue.ts'
import type { FrameProblem } from '../venue.ts'

export const TOPICS = {
  crypto_prices_chainlink: 'chainlink',
  crypto_prices_twap_sixty: 'twap60',
} as const satisfies Record<string, PriceSource>

/** Prices of Binance come from Binance itself, and nothing settles on the mean of 30 s. */
const NOT_NEEDED = new Set(['crypto_prices', 'crypto_prices_twap_thirty'])
const COIN_BY_SYMBOL = new Map<string, CoinSymbol>(COINS.map((coin) => [`${coin.toLowerCase()}/usd`, coin]))
const NOTHING: DecodedPrices = { events: [], problems: [] }
/** A smaller time is not in milliseconds. */
const FIRST_TIME_MS = 1_000_000_000_000
/** `value` is a rounded copy of `full_accuracy_value`. */
const ROUNDING = 1e-6

interface Frame {
  topic?: unknown
  type?: unknown
  payload?: unknown
}

/** Decodes one frame. A subscribe is acknowledged with an empty text, and a history has rounded prices only: neither is needed. */
export function decodePriceFrame(text: string): DecodedPrices {
  if (!text.startsWith('{')) return NOTHING
  let frame: Frame
  try {
    frame = JSON.parse(text) as Frame
  } catch {
    return problem('undecodable', `invalid JSON of ${text.length} characters`)
  }
  const { topic, type, payload } = frame
  if (typeof topic !== 'string') return problem('unknown_event', 'no topic')
  if (type === 'subscribe' || NOT_NEEDED.has(topic)) return NOTHING
  const source = topic in TOPICS ? TOPICS[topic as keyof typeof TOPICS] : undefined
  if (source === undefined || type !== 'update') return problem('unknown_event', 'unknown topic or type')
  if (typeof payload !== 'object' || payload === null) return problem('undecodable', 'no payload')
  return decodeUpdate(source, payload as Record<string, unknown>)
}

function decodeUpdate(source: PriceEvent['source'], payload: Record<string, unknown>): DecodedPrices {
  const { symbol, timestamp, value, full_accuracy_value: exact } = payload
  const coin = typeof symbol === 'string' ? COIN_BY_SYMBOL.get(symbol) : undefined
  if (coin === undefined) return problem('unknown_key', 'unknown symbol')
  const priceAtMs = timeIn(timestamp)
  if (priceAtMs === undefined) return problem('undecodable', 'invalid timestamp')
  const price = priceIn(exact, value)
  if (price === undefined || price <= 0n) return problem('undecodable', 'invalid price')
  return { events: [{ source, coin, price, priceAtMs }], problems: [] }
}

/** The venue sends numbers and texts. */
function timeIn(timestamp: unknown): number | undefined {
  const timeMs = typeof timestamp === 'string' && /^\d+$/.test(timestamp) ? Number(timestamp) : timestamp
  return typeof timeMs === 'number' && Number.isSafeInteger(timeMs) && timeMs >= FIRST_TIME_MS ? timeMs : undefined
}

/** Averages have whole numbers of 10^-18 USD, prices of an exchange have decimals; the rounded value tells which it is. */
function priceIn(exact: unknown, value: unknown): bigint | undefined {
  const rounded = typeof value === 'number' || typeof value === 'string' ? usdUnitsIn(String(value)) : undefined
  if (typeof exact !== 'string') return rounded
  const [asDecimal, asUnits] = [usdUnitsIn(exact), /^\d+$/.test(exact) ? BigInt(exact) : undefined]
  if (rounded === undefined) return asUnits ?? asDecimal
  return [asUnits, asDecimal].find((units) => units !== undefined && isAbout(units, rounded))
}

function isAbout(units: bigint, rounded: bigint): boolean {
  return Math.abs(Number(units) / Number(rounded) - 1) < ROUNDING
}

function problem(kind: FrameProblem['kind'], reason: string): DecodedPrices {
  return { events: [], problems: [{ kind, reason }] }
}
