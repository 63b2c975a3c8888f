import { z } from 'zod'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { VenueName } from '../schemas/venue.ts'
import { isActive } from './market-flags.ts'

const DeclaredToken = z
  .object({ token_id: z.string(), side: z.enum(['UP', 'DOWN']).describe('UP: the first token, also of Yes and No') })
  .meta({ id: 'DeclaredToken' })

/** A market with exactly the members of the declared schema; strict clients of it do not know venues. */
export const DeclaredMarket = z
  .object({
    condition_id: z.string(),
    slug: z.string(),
    question: z.string(),
    category: z.string(),
    subcategory: z.string().describe('coin, league, topic or city'),
    timeframe: z.string(),
    active: z.boolean().describe('it has not ended'),
    tokens: z.tuple([DeclaredToken, DeclaredToken]),
    venue: VenueName.optional().describe('only when the request names another venue than the default, or all'),
  })
  .meta({ id: 'DeclaredMarket' })
type DeclaredMarket = z.infer<typeof DeclaredMarket>

export function declaredMarketOf(market: StoredMarket, hasVenue: boolean): DeclaredMarket {
  const { id, venue, slug, question, category, subcategory, timeframe, status, tokenIds } = market
  return {
    condition_id: id,
    slug,
    question,
    category,
    subcategory,
    timeframe,
    active: isActive(status),
    tokens: [
      { token_id: tokenIds[0], side: 'UP' },
      { token_id: tokenIds[1], side: 'DOWN' },
    ],
    ...(hasVenue && { venue }),
  }
}
