import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { FAULT_KINDS } from './faults/fault-list.ts'
import { FaultOrderSchema } from './faults/fault-order.ts'
import type { Oracle } from './faults/oracle.ts'
import type { ActiveFault, Switchboard } from './faults/switchboard.ts'
import type { Tape } from './polymarket/tape/tape.ts'
import type { Sockets } from './sockets.ts'
import type { World, WorldOptions } from './world/world.ts'

/** Routes that switch faults on and off and list what they did. Real venues have no such routes. */
export function adminRoutes(
  app: FastifyInstance,
  parts: {
    world: World
    options: WorldOptions & { tape?: Tape }
    faults: Switchboard
    oracle: Oracle
    sockets: Sockets
  },
): void {
  const { world, options, faults, oracle, sockets } = parts

  app.get('/world', () => ({
    seed: options.seed,
    startMs: options.startMs,
    size: options.size,
    behaviours: options.behaviours ?? [],
    nowMs: world.nowMs,
    tapeEndMs: options.tape?.endMs,
    markets: countBy([...world.markets.values()].map(({ phase }) => phase)),
    activities: countBy(
      [...world.markets.values()].filter(({ phase }) => phase === 'trading').map(({ activity }) => activity),
    ),
  }))
  app.get('/connections', () => [...sockets.deliveries].map(({ id, feed, framesSent }) => ({ id, feed, framesSent })))
  app.get('/faults', () => ({ active: faults.active().map(shown), known: FAULT_KINDS }))
  app.post('/faults', ({ body }, reply) => {
    const order = FaultOrderSchema.safeParse(body)
    if (!order.success) return reply.code(400).send({ error: z.prettifyError(order.error) })
    return reply.code(201).send(shown(faults.switchOn(order.data)))
  })
  app.delete<{ Params: { id: string } }>('/faults/:id', ({ params }, reply) => {
    if (!faults.switchOff(params.id)) return reply.code(404).send({ error: `no fault with id ${params.id} is active` })
    return reply.code(204).send()
  })
  app.post<{ Params: { id: string } }>('/markets/:id/resolve', ({ params }, reply) => {
    const market = world.markets.get(params.id)
    if (market?.phase !== 'trading')
      return reply.code(404).send({ error: `market ${params.id} is unknown or not trading` })
    world.settleNow(market)
    return reply.code(202).send()
  })
  app.get<{ Querystring: { since?: string } }>('/oracle', ({ query }) => oracle.since(Number(query.since ?? 0)))
}

/** JSON has no infinity, so a fault without a limit has no `timesLeft`. */
function shown({ timesLeft, ...fault }: ActiveFault): object {
  return Number.isFinite(timesLeft) ? { ...fault, timesLeft } : fault
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
