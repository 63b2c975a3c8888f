import { z } from 'zod'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { type EndpointRequest, endpoint } from '../endpoint.ts'
import { Flag } from '../schemas/parameters.ts'
import {
  bookTable,
  DeclaredOrderbook,
  declaredLiveBook,
  liveBook,
  MarketOrderbook,
  marketClosed,
  renderBook,
} from '../shared/live-book.ts'
import { isActive } from '../shared/market-flags.ts'
import { type MatchedBy, matchMembers, matchSlug, SlugParams, slugMembers, slugNotFound } from '../shared/match-slug.ts'

const SlugOrderbook = MarketOrderbook.extend(slugMembers).meta({ id: 'SlugOrderbook' })
const DeclaredSlugOrderbook = DeclaredOrderbook.extend(slugMembers).meta({ id: 'DeclaredSlugOrderbook' })
type Request = EndpointRequest<z.output<typeof SlugParams>, unknown, undefined>

export const getMarketOrderbookBySlug = endpoint({
  method: 'GET',
  path: '/v1/markets/by-slug/{slug}/orderbook',
  name: 'get_orderbook_by_slug',
  group: 'Markets',
  summary: 'Get both live books of a market by its slug',
  description:
    'Only for markets that have not ended. The slug of an ended market is refused; the book of another window is never returned for it.',
  access: { by: 'key', scope: 'live' },
  params: SlugParams,
  query: z.object({ includebook: Flag.default(true).describe('false leaves bids and asks out') }),
  reply: SlugOrderbook,
  errors: ['slug_not_found', 'market_closed', 'no_recent_data'],
  table: bookTable(SlugOrderbook),
  render: renderBook,

  async handle(request) {
    const { params, query, stores, nowMs } = request
    const { market, matchedBy } = await requestedMarket(request)
    const book = await liveBook(stores, market, nowMs, query.includebook)
    return { body: { ...book, ...matchMembers(params.slug, matchedBy) } }
  },

  declared: {
    reply: DeclaredSlugOrderbook,
    table: bookTable(DeclaredSlugOrderbook),
    async handle(request) {
      const { params, query, stores, nowMs } = request
      const { market, matchedBy } = await requestedMarket(request)
      const book = await declaredLiveBook(stores, market, nowMs, query.includebook)
      return { body: { ...book, ...matchMembers(params.slug, matchedBy) } }
    },
  },
})

async function requestedMarket({
  params,
  stores,
  nowMs,
  require,
}: Request): Promise<{ market: StoredMarket; matchedBy: MatchedBy }> {
  const match = await matchSlug(stores, params.slug, nowMs)
  if (match.market === undefined) throw slugNotFound(params.slug, match.candidates)
  const { market, matchedBy } = match
  require({ category: market.category })
  if (!isActive(market.status)) throw marketClosed(market)
  return { market, matchedBy }
}
