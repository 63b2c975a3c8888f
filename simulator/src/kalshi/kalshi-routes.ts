import type { FastifyInstance } from 'fastify'
import type { Switchboard } from '../faults/switchboard.ts'
import type { Behaviour } from '../world/behaviours.ts'
import { bookRoutes } from './book-routes.ts'
import { exchangeRoutes } from './exchange-routes.ts'
import type { KalshiWorld } from './kalshi-world.ts'
import { BadQuery } from './list-queries.ts'
import { listingRoutes } from './listing-routes.ts'
import { TokenBucket } from './token-bucket.ts'

const READ_LIMIT: Behaviour = 'kalshi-read-limit'
const TOO_MANY = { error: { code: 'too_many_requests', message: 'too many requests' } }

/** The REST interface, which needs no key for market data. */
export function kalshiRoutes(app: FastifyInstance, world: KalshiWorld, faults: Switchboard): void {
  const isLimited = world.options.behaviours?.includes(READ_LIMIT) === true
  const bucket = new TokenBucket()
  app.addHook('onRequest', async (request, reply) => {
    if (!isLimited || bucket.take()) return undefined
    faults.note(READ_LIMIT, { detail: request.url })
    // The venue says no time after which to try again.
    return reply.code(429).send(TOO_MANY)
  })
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof BadQuery)
      return reply.code(400).send({ error: { code: 'bad_request', message: error.message } })
    throw error
  })
  app.register(
    async (routes) => {
      listingRoutes(routes, world)
      bookRoutes(routes, world, faults)
      exchangeRoutes(routes, world)
    },
    { prefix: '/trade-api/v2' },
  )
}
