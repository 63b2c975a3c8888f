import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Flag, MarketParams } from '../schemas/parameters.ts'
import { findMarket } from '../shared/find-market.ts'
import { bookTable, liveBook, MarketOrderbook, renderBook } from '../shared/live-book.ts'

export const getMarketOrderbook = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/orderbook',
  name: 'get_orderbook',
  group: 'Markets',
  summary: 'Get both live books of a market',
  access: { by: 'key', scope: 'live' },
  params: MarketParams,
  query: z.object({ includebook: Flag.default(true).describe('false leaves bids and asks out') }),
  reply: MarketOrderbook,
  errors: ['market_not_found', 'market_closed', 'no_recent_data'],
  table: bookTable(MarketOrderbook),
  render: renderBook,

  async handle({ params, query, stores, nowMs, require }) {
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    return { body: await liveBook(stores, market, nowMs, query.includebook) }
  },
})
