import type { FastifyInstance } from 'fastify'
import type { World } from '../world/world.ts'
import { spotBookTicker, spotCoin } from './spot-quotes.ts'

export function tickerRoutes(app: FastifyInstance, world: World): void {
  app.get<{ Querystring: { symbol?: string } }>('/api/v3/ticker/bookTicker', ({ query }, reply) => {
    const coin = spotCoin(query.symbol ?? '')
    if (coin === undefined) return reply.code(400).send({ code: -1121, msg: 'Invalid symbol.' })
    const { s, b, B, a, A } = spotBookTicker(world.spot, coin, world.nowMs)
    return { symbol: s, bidPrice: b, bidQty: B, askPrice: a, askQty: A }
  })
}
