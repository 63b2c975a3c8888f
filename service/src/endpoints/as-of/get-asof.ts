import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { Flag, isConditionId, Moment } from '../schemas/parameters.ts'
import type { Stores } from '../stores.ts'
import { asOfTable } from './as-of-table.ts'
import { MarketAsOf, marketAsOf, unknownAsOf } from './market-as-of.ts'

const MOST_MARKETS = 20

const Markets = z
  .string()
  .max(8_000)
  .transform((text) => [...new Set(text.split(',').map((each) => each.trim()))].filter((each) => each !== ''))
  .pipe(z.array(z.string().max(300)).min(1).max(MOST_MARKETS))
  .describe(`condition ids or exact slugs with commas, at most ${MOST_MARKETS}`)
  .meta({ override: { type: 'string' } })

export const getAsof = endpoint({
  method: 'GET',
  path: '/v1/asof',
  name: 'get_asof',
  group: 'History',
  summary: 'What was known of several markets at one moment, and nothing that came after it',
  description:
    'Both books, the spot price and the perp’s book, each with its age at that moment. Strictly at or before: a sample taken a millisecond later is not used. A market without a trusted book at that moment says why.',
  access: { by: 'key', scope: 'history' },
  query: z.object({
    timestamp: Moment.describe('the moment; not in the future'),
    markets: Markets,
    includebook: Flag.default(true).describe('false leaves bids and asks out'),
  }),
  reply: z.object({ timestamp: Instant, markets: z.array(MarketAsOf).describe('in the order asked for') }),
  errors: [],
  table: asOfTable,

  async handle({ query, stores, nowMs, require }) {
    const { timestamp: atMs, includebook: includeBook } = query
    if (atMs > nowMs) throw new ApiError('invalid_request', 'timestamp: must not be in the future')
    require({ historyAgeMs: nowMs - atMs })
    const found = await Promise.all(query.markets.map((requested) => find(stores, requested, nowMs)))
    for (const market of found) if (market !== undefined) require({ category: market.category })
    const markets = await Promise.all(
      query.markets.map(async (requested, index) => {
        const market = found[index]
        const moment = { atMs, nowMs, includeBook }
        return market === undefined ? unknownAsOf(requested) : marketAsOf(stores, requested, market, moment)
      }),
    )
    return { body: { timestamp: instantOf(atMs), markets } }
  },
})

async function find(
  { catalogue, markets }: Stores,
  requested: string,
  nowMs: number,
): Promise<StoredMarket | undefined> {
  const id = requested.toLowerCase()
  if (isConditionId(id)) return catalogue.byId(id, nowMs) ?? markets.byId(id, nowMs)
  return markets.bySlug(requested, nowMs)
}
