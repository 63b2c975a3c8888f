import { z } from 'zod'
import type { Resolution } from '../../domain/market.ts'
import type { EndedMarket, Ending } from '../venue.ts'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'
import { GammaMarketSchema } from './gamma.ts'
import type { OnProblem } from './list-events.ts'

const MARKETS_PER_CALL = 50
/** The order book service answers for one market at a time. */
const SECOND_REQUESTS_PER_CALL = 20
/** Only these outcome prices are a result; the `active` and `closed` flags are not reliable. */
const WINNERS: ReadonlyMap<string, 0 | 1 | undefined> = new Map([
  ['1 0', 0],
  ['0 1', 1],
  ['0.5 0.5', undefined],
])

const Timestamp = GammaMarketSchema.shape.endDate
const ClosedMarketSchema = z.object({
  conditionId: GammaMarketSchema.shape.conditionId,
  closed: z.literal(true),
  outcomePrices: GammaMarketSchema.shape.outcomes.catch(undefined),
  closedTime: Timestamp,
  umaEndDate: Timestamp,
  endDate: Timestamp,
})
const ClobMarketSchema = z.object({
  closed: z.boolean().nullish(),
  tokens: z.array(z.object({ token_id: z.string(), winner: z.boolean().nullish() })),
})

export interface RestSources {
  gamma: VenueHttp
  clob: VenueHttp
  onProblem: OnProblem
}

/** Asks the catalogue about all markets, and the order book service about some of those without a result there. */
export async function fetchEndings(
  { gamma, clob, onProblem }: RestSources,
  markets: readonly EndedMarket[],
  nowMs: number,
  signal: AbortSignal,
): Promise<Ending[]> {
  const endings = new Map<string, Ending>()
  const ids = markets.map(({ id }) => id)
  for (let from = 0; from < ids.length; from += MARKETS_PER_CALL) {
    const requested = new Set(ids.slice(from, from + MARKETS_PER_CALL))
    for (const ending of await fetchClosed(gamma, requested, signal)) endings.set(ending.marketId, ending)
  }
  // Without its token ids, nobody can say which outcome of a market won.
  const open = markets.filter(({ id, tokenIds }) => tokenIds !== undefined && !endings.get(id)?.resolution)
  for (const market of open.slice(0, SECOND_REQUESTS_PER_CALL)) {
    const ending = await fetchWinner({ clob, onProblem }, market, nowMs, signal)
    if (ending !== undefined) endings.set(market.id, ending)
  }
  return [...endings.values()]
}

async function fetchClosed(gamma: VenueHttp, ids: ReadonlySet<string>, signal: AbortSignal): Promise<Ending[]> {
  const parameters = new URLSearchParams({ closed: 'true', limit: '100' })
  for (const id of [...ids].flatMap(spellingsOf)) parameters.append('condition_ids', id)
  const answer = z.array(z.unknown()).parse(JSON.parse(await gamma.get(`/markets?${parameters.toString()}`, signal)))
  return answer.flatMap(readEnding).filter(({ marketId }) => ids.has(marketId))
}

/** The catalogue omits the zero padding of v2 ids. */
function spellingsOf(id: string): string[] {
  return id.endsWith('00') ? [id, id.slice(0, -2)] : [id]
}

/** Reads a market of the catalogue; nothing if it is not closed. */
export function readEnding(element: unknown): Ending[] {
  const { data: market } = ClosedMarketSchema.safeParse(element)
  if (market === undefined) return []
  const marketId = market.conditionId.padEnd(66, '0')
  const prices = market.outcomePrices?.join(' ') ?? ''
  const resolvedAtMs = market.closedTime ?? market.umaEndDate ?? market.endDate
  if (!WINNERS.has(prices) || resolvedAtMs === null || resolvedAtMs === undefined) return [{ marketId }]
  const winner = WINNERS.get(prices)
  return [{ marketId, resolution: { marketId, ...(winner !== undefined && { winner }), resolvedAtMs } }]
}

/** Undefined when the service does not know the market or fails: the catalogue's answers must not be lost with it. */
async function fetchWinner(
  { clob, onProblem }: Omit<RestSources, 'gamma'>,
  market: EndedMarket,
  nowMs: number,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  try {
    return readWinner(market, JSON.parse(await clob.get(`/markets/${market.id}`, signal)), nowMs)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof HttpRefusal && error.status === 404) return undefined
    onProblem(`no second answer about an ended market: ${error instanceof Error ? error.message : 'unknown'}`)
    return undefined
  }
}

/** The answer has no time of the result, so the time of the request stands for it. */
export function readWinner({ id, tokenIds }: EndedMarket, answer: unknown, nowMs: number): Ending | undefined {
  const { data } = ClobMarketSchema.safeParse(answer)
  if (data === undefined) return undefined
  const winners = data.tokens.filter(({ winner }) => winner === true).map(({ token_id }) => token_id)
  const winner = winners.length === 1 ? tokenIds?.indexOf(winners[0] ?? '') : undefined
  const resolution: Resolution | undefined =
    winner === 0 || winner === 1 ? { marketId: id, winner, resolvedAtMs: Math.round(nowMs) } : undefined
  if (resolution !== undefined) return { marketId: id, resolution }
  return data.closed === true ? { marketId: id } : undefined
}
