import { z } from 'zod'
import type { Resolution } from '../../domain/market.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import type { Stores } from '../stores.ts'
import { settlementMembers, settlementMembersOf } from './window-settlement.ts'

const MAX_MARKETS = 500

export const ResultsFlag = Flag.default(false).describe(
  `true adds the outcome, the price to beat and the settlement price of each market; needs a limit of at most ${MAX_MARKETS}`,
)

/** The outcome of a market and the prices that decide it, as far as they are known. */
export const resultMembers = {
  resolved_outcome: z.enum(['UP', 'DOWN', 'SPLIT']).optional().describe('the token that won; left out until then'),
  resolved_at: Instant.optional(),
  ...settlementMembers,
}
const Result = z.object(resultMembers)
export type Result = z.infer<typeof Result>

/** Each market is looked up in two stores, so long lists have no results. */
export function requireShortList(isRequested: boolean, limit: number | undefined): void {
  if (isRequested && (limit === undefined || limit > MAX_MARKETS))
    throw invalidParameter(
      'results',
      `must be used with a limit of at most ${MAX_MARKETS}, got ${limit === undefined ? 'no limit' : `limit=${limit}`}`,
    )
}

interface ListedMarket {
  readonly id: string
  readonly venue: string
  readonly resolution?: Resolution | undefined
}

/** By market. */
export async function resultsOf(
  { settlementPrices }: Pick<Stores, 'settlementPrices'>,
  markets: readonly ListedMarket[],
): Promise<ReadonlyMap<string, Result>> {
  const prices = await settlementPrices.ofMany(markets)
  return new Map(
    markets.map(({ id, resolution }) => [
      id,
      { ...(resolution && outcomeOf(resolution)), ...settlementMembersOf(prices.get(id) ?? {}) },
    ]),
  )
}

export function outcomeOf({ winner, resolvedAtMs }: Resolution) {
  const outcome = winner === undefined ? ('SPLIT' as const) : winner === 0 ? ('UP' as const) : ('DOWN' as const)
  return { resolved_outcome: outcome, resolved_at: instantOf(resolvedAtMs) }
}
