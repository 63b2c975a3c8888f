import { unitsIn } from '../../domain/decimal.ts'
import type { FrameProblem } from '../venue.ts'

/** The mid price of one pair, in units of 0.00000001 USD. */
export interface SpotEvent {
  /** As the exchange spells it: `BTCUSDT`. */
  pair: string
  price: number
}

const SPOT_DECIMALS = 8

/** Decodes one frame, plain or in the combined wrapper; answers to subscribe requests hold no event. */
export function decodeSpotFrame(text: string): { events: SpotEvent[]; problems: FrameProblem[] } {
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
  const { s: pair, b, a } = ticker as Record<string, unknown>
  if (typeof pair !== 'string' || b === undefined || a === undefined)
    return problem('unknown_event', 'not a book ticker')
  const bid = typeof b === 'string' ? unitsIn(b, SPOT_DECIMALS) : undefined
  const ask = typeof a === 'string' ? unitsIn(a, SPOT_DECIMALS) : undefined
  if (!bid || !ask || bid > ask || !Number.isSafeInteger(bid + ask))
    return problem('undecodable', 'invalid bid or ask price')
  return { events: [{ pair, price: Math.floor((bid + ask) / 2) }], problems: [] }
}
