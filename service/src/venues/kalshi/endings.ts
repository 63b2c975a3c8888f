import type { Resolution } from '../../domain/market.ts'
import type { EndedMarket, Ending } from '../venue.ts'
import { listMarkets, type OnProblem } from './list-markets.ts'
import { namesOf, tickersOf } from './market-names.ts'
import type { KalshiMarket } from './market-schema.ts'
import type { PacedHttp } from './paced-http.ts'

const MARKETS_PER_CALL = 100
/** A result that is only determined may still be disputed and amended. */
const FINAL = 'finalized'
const UNDECIDED = new Set(['closed', 'determined', 'disputed', 'amended'])
/** `scalar`: the payout is divided between both outcomes. */
const WINNERS: ReadonlyMap<string, 0 | 1 | undefined> = new Map([
  ['yes', 0],
  ['no', 1],
  ['scalar', undefined],
])

/** Markets whose tokens are not known can't be asked about: an id does not say its ticker. */
export async function fetchEndings(
  http: PacedHttp,
  ended: readonly EndedMarket[],
  nowMs: number,
  signal: AbortSignal,
  onProblem: OnProblem,
): Promise<Ending[]> {
  const tickers = tickersOf(ended.flatMap(({ tokenIds }) => tokenIds?.[0] ?? []))
  const endings: Ending[] = []
  for (let from = 0; from < tickers.length; from += MARKETS_PER_CALL) {
    const requested = tickers.slice(from, from + MARKETS_PER_CALL)
    const { markets } = await listMarkets(http, { tickers: requested.join(',') }, signal, onProblem)
    const answered = markets.filter(({ ticker }) => requested.includes(ticker))
    endings.push(...answered.flatMap((market) => endingOf(market, nowMs) ?? []))
  }
  return endings
}

/** Undefined while the market may still trade. */
export function endingOf(market: KalshiMarket, nowMs: number): Ending | undefined {
  const { marketId } = namesOf(market.ticker)
  const status = market.status ?? ''
  if (UNDECIDED.has(status)) return { marketId }
  if (status !== FINAL) return undefined
  const result = market.result ?? ''
  if (!WINNERS.has(result)) return { marketId }
  const winner = WINNERS.get(result)
  // A result is known some seconds before the settlement, which alone has a time.
  const resolvedAtMs = market.settlement_ts ?? Math.round(nowMs)
  const resolution: Resolution = { marketId, ...(winner !== undefined && { winner }), resolvedAtMs }
  return { marketId, resolution }
}
