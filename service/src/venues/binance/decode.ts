import { usdUnitsIn } from '../../domain/decimal.ts'
import { COINS } from '../../domain/market.ts'
import type { DecodedPrices } from '../price-venue.ts'
import type { FrameProblem } from '../venue.ts'
import { pairOf } from './pairs.ts'

const COIN_BY_PAIR = new Map(COINS.map((coin) => [pairOf(coin), coin]))

/** Decodes one frame, plain or in the combined wrapper; answers to subscribe requests hold no event. */
export function decodeSpotFrame(text: string): DecodedPrices {
  const problem = (kind: FrameProblem['kind'], reason: string) => ({ events: [], problems: [{ kind, reason }] })
  if (!text.startsWith('{')) return { events: [], problems: [] }
  let frame: { data?: unknown; result?: unknown }
  try {
    frame = JSON.parse(text)
  } catch {
    return problem('undecodable', `invalid JSON of ${text.length} characters`)
  }
  if (frame.result === null) return { events: [], problems: [] }
  const ticker = frame.data ?? frame
  if (typeof ticker !== 'object' || ticker === null) return problem('undecodable', 'not an object')
  const { s: pair, b, a, e: event } = ticker as Record<string, unknown>
  // The socket is closed soon after, and then opened again at once.
  if (event === 'serverShutdown') return { events: [], problems: [] }
  if (typeof pair !== 'string' || b === undefined || a === undefined)
    return problem('unknown_event', 'not a book ticker')
  // Never by a part of the name: HYPERUSDT is another coin than HYPE.
  const coin = COIN_BY_PAIR.get(pair)
  if (coin === undefined) return problem('unknown_key', 'unknown pair')
  const bid = typeof b === 'string' ? usdUnitsIn(b) : undefined
  const ask = typeof a === 'string' ? usdUnitsIn(a) : undefined
  if (!bid || !ask || bid > ask) return problem('undecodable', 'invalid bid or ask price')
  return { events: [{ source: 'binance', coin, price: (bid + ask) / 2n }], problems: [] }
}
