import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Flag } from '../schemas/parameters.ts'
import { bookTable, liveBook, MarketOrderbook, marketClosed, renderBook } from '../shared/live-book.ts'
import { isActive } from '../shared/market-flags.ts'
import { matchMembers, matchSlug, SlugParams, slugMembers, slugNotFound } from '../shared/match-slug.ts'

const SlugOrderbook = MarketOrderbook.extend(slugMembers).meta({ id: 'SlugOrderbook' })

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

  async handle({ params, query, stores, nowMs, require }) {
    const match = await matchSlug(stores, params.slug, nowMs)
    if (match.market === undefined) throw slugNotFound(params.slug, match.candidates)
    const { market, matchedBy } = match
    require({ category: market.category })
    if (!isActive(market.status)) throw marketClosed(market)
    const book = await liveBook(stores, market, nowMs, query.includebook)
    return { body: { ...book, ...matchMembers(params.slug, matchedBy) } }
  },
})
