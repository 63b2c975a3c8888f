import type { FastifyInstance } from 'fastify'
import type { Coin } from '../world/spot.ts'
import type { World } from '../world/world.ts'
import { SPOT_COINS, spotBookTicker, spotCoin } from './spot-quotes.ts'

const INVALID_SYMBOL = { code: -1121, msg: 'Invalid symbol.' }

/** REST routes of the spot exchange. */
export function tickerRoutes(app: FastifyInstance, world: World): void {
  app.get<{ Querystring: { symbol?: string } }>('/api/v3/ticker/bookTicker', ({ query }, reply) => {
    const coin = spotCoin(query.symbol ?? '')
    if (coin === undefined) return reply.code(400).send(INVALID_SYMBOL)
    const { s, b, B, a, A } = spotBookTicker(world.spot, coin, world.nowMs)
    return { symbol: s, bidPrice: b, bidQty: B, askPrice: a, askQty: A }
  })
  app.get<{ Querystring: { symbol?: string; symbols?: string } }>('/api/v3/exchangeInfo', ({ query }, reply) => {
    const named = namedSymbols(query)
    const coins = named === undefined ? SPOT_COINS : named.map(spotCoin)
    const isUnknownListed = world.broken.has('spot.unknown-pair')
    // One unknown symbol fails the whole call.
    if (!coins.every((coin) => coin !== undefined) && !isUnknownListed) return reply.code(400).send(INVALID_SYMBOL)
    return {
      timezone: 'UTC',
      serverTime: world.nowMs,
      rateLimits: [],
      exchangeFilters: [],
      symbols: coins.flatMap((coin) => (coin === undefined ? [] : symbolFacts(coin, world))),
    }
  })
}

function namedSymbols({ symbol, symbols }: { symbol?: string; symbols?: string }): string[] | undefined {
  if (symbol !== undefined) return [symbol]
  return symbols === undefined ? undefined : (JSON.parse(symbols) as string[])
}

function symbolFacts({ symbol }: Coin, { broken }: World): object {
  return {
    symbol: `${symbol}USDT`,
    status: symbol === 'ZEC' && broken.has('spot.pairs-listed') ? 'BREAK' : 'TRADING',
    baseAsset: symbol,
    baseAssetPrecision: 8,
    quoteAsset: 'USDT',
    quotePrecision: 8,
    isSpotTradingAllowed: true,
  }
}
