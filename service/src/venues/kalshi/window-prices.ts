import { usdUnitsIn } from '../../domain/decimal.ts'
import type { WindowPrices } from '../venue.ts'
import { listMarkets, type OnProblem } from './list-markets.ts'
import type { PacedHttp } from './paced-http.ts'

/** The mean prices before the open and before the close of a window; they appear at its open and after its close. */
export async function fetchWindowPrices(
  http: PacedHttp,
  eventSlug: string,
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<WindowPrices> {
  const { markets } = await listMarkets(http, { event_ticker: eventSlug.toUpperCase() }, signal, onProblem)
  const [window, ...more] = markets
  // An event with several markets has several strikes, and none of them is a price at its start.
  if (window === undefined || more.length > 0) return {}
  return { start: unitsOf(window.floor_strike), end: unitsOf(window.expiration_value) }
}

function unitsOf(amount: string | number | null | undefined): bigint | undefined {
  const units = amount === null || amount === undefined ? undefined : usdUnitsIn(String(amount))
  return units === 0n ? undefined : units
}
