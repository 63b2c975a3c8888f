import { z } from 'zod'
import { type Ladders, type Level, PRICE_ONE } from '../../domain/book.ts'
import { PRICE_DECIMALS, unitsIn } from '../../domain/decimal.ts'
import { tokenFlags } from '../../domain/snapshot-flags.ts'
import { shown } from '../../domain/value-problems.ts'
import { proofOf } from '../../venue-registry.ts'
import { endpoint } from '../endpoint.ts'
import { priceOf, sizeOf } from '../schemas/book-figures.ts'
import { MarketParams, Side } from '../schemas/parameters.ts'
import { BookFlag, BookProof } from '../schemas/snapshot.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import { liveBook, liveSnapshot } from '../shared/live-book.ts'

const WIDEST = 0.5

const Distance = z
  .string()
  .transform((text, context) => {
    const units = unitsIn(text, PRICE_DECIMALS)
    if (units !== undefined && units > 0 && units <= WIDEST * PRICE_ONE) return units
    context.addIssue({ code: 'custom', message: `must be above 0 and at most ${WIDEST}, got ${shown(text)}` })
    return z.NEVER
  })
  .meta({ override: { type: 'number', exclusiveMinimum: 0, maximum: WIDEST } })

const TokenDepth = z
  .object({
    side: Side.describe('the token'),
    token_id: z.string(),
    mid: z.number(),
    microprice: z.number().describe('mean of best bid and best ask, each weighted with the size of the other side'),
    bid_size: z.number().describe('shares of all bids within the distance from mid'),
    ask_size: z.number().describe('shares of all asks within the distance from mid'),
    imbalance: z.number().describe('from -1 (only asks) to 1 (only bids)'),
    flags: z.array(BookFlag),
    proof: BookProof,
  })
  .meta({ id: 'TokenDepth' })

export const getMarketDepth = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/depth',
  name: 'get_market_depth',
  group: 'Markets',
  summary: 'Get the depth near the mid price of a live market, and its imbalance',
  access: { by: 'key', scope: 'live' },
  params: MarketParams,
  query: z.object({
    within: Distance.default(0.05 * PRICE_ONE).describe('greatest distance from mid that is counted'),
  }),
  reply: z.object({
    market_id: z.string(),
    venue: VenueName,
    within: z.number(),
    stale: z.boolean().describe('there is no current book; this is the last trusted one'),
    age_ms: z.int(),
    tokens: z.array(TokenDepth),
  }),
  errors: ['market_not_found', 'market_closed', 'no_recent_data'],
  table: {
    columns: Object.keys(TokenDepth.shape),
    rows: ({ tokens }) => tokens,
    inRows: ['tokens'],
  },

  async handle({ params, query, stores, nowMs, require }) {
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const { stale, age_ms } = await liveBook(stores, market, nowMs, false)
    const snapshot = await liveSnapshot(stores, market, nowMs)
    const proof = proofOf(market.venue)
    const tokens = ([0, 1] as const).map((outcome) => ({
      side: outcome === 0 ? ('UP' as const) : ('DOWN' as const),
      token_id: market.tokenIds[outcome],
      ...depthOf(outcome === 0 ? snapshot.up : snapshot.down, query.within),
      flags: tokenFlags(snapshot.flags, outcome, proof),
      proof,
    }))
    const { id: market_id, venue } = market
    return { body: { market_id, venue, within: priceOf(query.within), stale, age_ms, tokens } }
  },
})

function depthOf({ bids, asks }: Ladders, within: number) {
  const [bid = { price: 0, size: 0 }, ask = { price: PRICE_ONE, size: 0 }] = [bids[0], asks[0]]
  const mid = (bid.price + ask.price) / 2
  const bidUnits = sizeIn(bids, (price) => price >= mid - within)
  const askUnits = sizeIn(asks, (price) => price <= mid + within)
  const atBest = bid.size + ask.size
  const micro = atBest === 0 ? mid : (bid.price * ask.size + ask.price * bid.size) / atBest
  const all = bidUnits + askUnits
  return {
    mid: mid / PRICE_ONE,
    microprice: micro / PRICE_ONE,
    bid_size: sizeOf(bidUnits),
    ask_size: sizeOf(askUnits),
    imbalance: all === 0 ? 0 : (bidUnits - askUnits) / all,
  }
}

function sizeIn(levels: readonly Level[], isNear: (price: number) => boolean): number {
  return levels.reduce((sum, { price, size }) => (isNear(price) ? sum + size : sum), 0)
}
