import { z } from 'zod'
import type { Resolution } from '../../domain/market.ts'
import type { VenueHttp } from '../venue-http.ts'
import { GammaMarketSchema } from './gamma.ts'

const MARKETS_PER_CALL = 50
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
  outcomePrices: GammaMarketSchema.shape.outcomes,
  closedTime: Timestamp,
  umaEndDate: Timestamp,
  endDate: Timestamp,
})

/** The resolutions of those markets that are resolved. */
export async function fetchResolutions(
  gamma: VenueHttp,
  marketIds: readonly string[],
  signal: AbortSignal,
): Promise<Resolution[]> {
  const found: Resolution[] = []
  for (let from = 0; from < marketIds.length; from += MARKETS_PER_CALL) {
    const requested = marketIds.slice(from, from + MARKETS_PER_CALL)
    const parameters = new URLSearchParams({ closed: 'true', limit: '100' })
    for (const id of requested.flatMap(spellingsOf)) parameters.append('condition_ids', id)
    const answer = z.array(z.unknown()).parse(JSON.parse(await gamma.get(`/markets?${parameters.toString()}`, signal)))
    found.push(...answer.flatMap(readResolution).filter(({ marketId }) => requested.includes(marketId)))
  }
  return found
}

/** The catalogue omits the zero padding of v2 ids. */
function spellingsOf(id: string): string[] {
  return id.endsWith('00') ? [id, id.slice(0, -2)] : [id]
}

export function readResolution(element: unknown): Resolution[] {
  const { data: market } = ClosedMarketSchema.safeParse(element)
  const prices = market?.outcomePrices?.join(' ') ?? ''
  const resolvedAtMs = market?.closedTime ?? market?.umaEndDate ?? market?.endDate
  if (market === undefined || !WINNERS.has(prices) || resolvedAtMs === null || resolvedAtMs === undefined) return []
  const winner = WINNERS.get(prices)
  return [{ marketId: market.conditionId.padEnd(66, '0'), ...(winner !== undefined && { winner }), resolvedAtMs }]
}
