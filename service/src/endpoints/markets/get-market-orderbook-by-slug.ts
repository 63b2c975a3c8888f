import { z } from 'zod'
import { type EndpointRequest, endpoint } from '../endpoint.ts'
import { Flag, oneVenue, VenueOfSlug } from '../schemas/parameters.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import {
  bookTable,
  DeclaredOrderbook,
  declaredLiveBook,
  liveBook,
  MarketOrderbook,
  renderBook,
  requireActive,
} from '../shared/live-book.ts'
import { matchMembers, matchSlug, SlugParams, slugMembers, slugNotFound } from '../shared/match-slug.ts'

const SlugOrderbook = MarketOrderbook.extend(slugMembers).meta({ id: 'SlugOrderbook' })
const DeclaredSlugOrderbook = DeclaredOrderbook.extend(slugMembers).meta({ id: 'DeclaredSlugOrderbook' })
const SlugQuery = z.object({
  includebook: Flag.default(true).describe('false leaves bids and asks out'),
  venue: VenueOfSlug,
})
type Request = EndpointRequest<z.output<typeof SlugParams>, z.output<typeof SlugQuery>, undefined>

export const getMarketOrderbookBySlug = endpoint({
  method: 'GET',
  path: '/v1/markets/by-slug/{slug}/orderbook',
  name: 'get_orderbook_by_slug',
  group: 'Markets',
  summary: 'Get both live books of a market by its slug',
  description:
    'Only for markets that have not reached their end. A slug that matches a market past its end is 404; the error says which market matched and how. The exact slug of an ended window never returns the book of another window; a time that no recorded window contains returns the current window of the series (`matched_by`: `current_window`).',
  access: { by: 'key', scope: 'live' },
  params: SlugParams,
  query: SlugQuery,
  reply: SlugOrderbook,
  errors: ['slug_not_found', 'market_closed', 'no_recent_data'],
  table: bookTable(SlugOrderbook),
  render: renderBook,

  async handle(request) {
    const { query, stores, nowMs } = request
    const { market, origin } = await requestedMarket(request)
    const book = await liveBook(stores, market, nowMs, query.includebook)
    return { body: { ...book, ...origin } }
  },

  declared: {
    reply: DeclaredSlugOrderbook,
    table: bookTable(DeclaredSlugOrderbook),
    async handle(request) {
      const { query, stores, nowMs } = request
      const { market, origin } = await requestedMarket(request)
      const book = await declaredLiveBook(stores, market, nowMs, query.includebook)
      return { body: { ...book, ...origin } }
    },
  },
})

interface RequestedMarket {
  readonly market: FoundMarket
  readonly origin: ReturnType<typeof matchMembers>
}

async function requestedMarket({ params, query, stores, nowMs, require }: Request): Promise<RequestedMarket> {
  const match = await matchSlug(stores, params.slug, nowMs, { venue: oneVenue(query.venue) })
  if (match.market === undefined) throw slugNotFound(params.slug, match.candidates)
  const { market, matchedBy } = match
  require({ category: market.category })
  const origin = matchMembers(params.slug, matchedBy)
  requireActive(market, origin)
  return { market, origin }
}
