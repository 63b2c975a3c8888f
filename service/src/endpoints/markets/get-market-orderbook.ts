import { z } from 'zod'
import { type EndpointRequest, endpoint } from '../endpoint.ts'
import { Flag, MarketParams } from '../schemas/parameters.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import {
  bookTable,
  DeclaredOrderbook,
  declaredLiveBook,
  liveBook,
  MarketOrderbook,
  renderBook,
} from '../shared/live-book.ts'

type Request = EndpointRequest<z.output<typeof MarketParams>, unknown, undefined>

export const getMarketOrderbook = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/orderbook',
  name: 'get_orderbook',
  group: 'Markets',
  summary: 'Get both live books of a market',
  description: 'Only for markets that have not reached their end; afterwards 404, also while the outcome is not known.',
  access: { by: 'key', scope: 'live' },
  params: MarketParams,
  query: z.object({ includebook: Flag.default(true).describe('false leaves bids and asks out') }),
  reply: MarketOrderbook,
  errors: ['market_not_found', 'market_closed', 'no_recent_data'],
  table: bookTable(MarketOrderbook),
  render: renderBook,

  async handle(request) {
    const { stores, nowMs, query } = request
    return { body: await liveBook(stores, await requestedMarket(request), nowMs, query.includebook) }
  },

  declared: {
    reply: DeclaredOrderbook,
    table: bookTable(DeclaredOrderbook),
    async handle(request) {
      const { stores, nowMs, query } = request
      return { body: await declaredLiveBook(stores, await requestedMarket(request), nowMs, query.includebook) }
    },
  },
})

async function requestedMarket({ params, stores, nowMs, require }: Request): Promise<FoundMarket> {
  const market = await findMarket(stores, params.id, nowMs)
  require({ category: market.category })
  return market
}
