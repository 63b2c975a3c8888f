import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Feed, Switchboard } from './faults/switchboard.ts'

/** Applies the faults of REST calls before the call is handled. */
export function restFaults(app: FastifyInstance, feed: Feed, faults: Switchboard): void {
  app.addHook('onRequest', async (request, reply) => {
    const occasion = { feed, detail: request.url }
    const agent = request.headers['user-agent']
    const isRejectedAgent = agent === undefined || agent === '' || agent.startsWith('Python-urllib')
    // The real venue rejects clients without a user agent.
    if (feed === 'clob' && isRejectedAgent) return reply.code(403).type('text/plain').send('error code: 1010')
    const slow = faults.strike('rest-slow', occasion)
    if (slow !== undefined) await sleep(slow.options.delayMs)
    const limited = faults.strike('rest-429', occasion)
    if (limited !== undefined) {
      // Kalshi says no time after which to try again.
      if (feed === 'kalshi') return reply.code(429).send({ error: 'too many requests' })
      return reply
        .code(429)
        .header('retry-after', String(limited.options.retryAfterS))
        .send({ error: 'Too Many Requests' })
    }
    const failed = faults.strike('rest-error', occasion)
    if (failed !== undefined) return reply.code(failed.options.status ?? 502).send({ error: 'upstream error' })
    return undefined
  })
}
