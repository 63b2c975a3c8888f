import { z } from 'zod'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import { MAX_WORDS } from '../../stores/markets/market-search.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { marketFilters, wantedMarkets, withoutScope } from '../shared/market-filters.ts'

const MAX_TEXT = 200
const MAX_MARKETS = 100
const SEARCHED_STATUSES = MARKET_STATUSES.filter((status) => status !== 'expired')

const MarketHit = z
  .object({
    market_id: z.string(),
    slug: z.string(),
    question: z.string(),
    event_title: z.string(),
    category: z.string(),
    subcategory: z.string().describe('coin, league, topic or city'),
    timeframe: z.string(),
    status: z.enum(MARKET_STATUSES),
    end_date: Instant,
    venue: VenueName,
    score: z.number().describe('higher is better; comparable only within one answer'),
  })
  .meta({ id: 'MarketHit' })

export const searchMarkets = endpoint({
  method: 'GET',
  path: '/v1/markets/search',
  name: 'search_markets',
  group: 'Markets',
  summary: 'Search markets by words',
  description:
    'Searches question, event, slug, subcategory and label of the markets without a result, best match first. Beginnings of words and misspelled words are found, too; when no market has all words, those with some of them. The number of all matches is in the header `X-Total-Count`.',
  access: { by: 'key', scope: 'live', isExpensive: () => true },
  query: z.object({
    q: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .describe(`words to search for; more than ${MAX_WORDS} are not used`)
      .meta({ examples: ['bitcoin'] }),
    ...marketFilters,
    status: z
      .enum(SEARCHED_STATUSES)
      .optional()
      .describe('default: live and upcoming. settling: ended, not resolved yet'),
    limit: wholeNumber(1, MAX_MARKETS).default(20),
    offset: wholeNumber(0, 999_999_999).default(0),
  }),
  reply: z.array(MarketHit),
  errors: [],

  async handle(request) {
    const { query, stores, nowMs } = request
    const { filter, leftOut, aside } = wantedMarkets(request)
    const { q, status, limit, offset } = query
    const headers = { ...aside, status, limit, offset }
    if (filter === undefined) return { body: [], aside: { totalCount: 0, ...headers }, emptyReason: 'no_match' }
    const wanted = { ...filter, ...(status !== undefined && { statuses: [status] }) }
    const catalogue = readyCatalogue(stores)
    const { total, found } = await catalogue.search(q, wanted, nowMs, { offset, limit })
    const isOutsideTier = async (): Promise<boolean> =>
      leftOut.length > 0 && (await catalogue.search(q, withoutScope(wanted), nowMs, { offset: 0, limit: 1 })).total > 0
    return {
      body: found.map(({ market, score }) => ({
        market_id: market.id,
        slug: market.slug,
        question: market.question,
        event_title: market.eventTitle,
        category: market.category,
        subcategory: market.subcategory,
        timeframe: market.timeframe,
        status: market.status,
        end_date: instantOf(market.endsAtMs),
        venue: market.venue,
        score: Math.round(score * 1_000) / 1_000,
      })),
      aside: { totalCount: total, ...headers },
      emptyReason: total > 0 ? undefined : (await isOutsideTier()) ? 'tier' : 'no_match',
    }
  },
})
