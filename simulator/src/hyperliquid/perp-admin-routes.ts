import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Coin } from '../world/spot.ts'
import { contextsIn } from './perp-context.ts'
import { type PerpMarket, perpCoin } from './perp-market.ts'

/** An hour and a bit: more would keep the simulator from sending frames in time. */
const MOST_MS = 4_000_000

const Wanted = z
  .object({ coin: z.string(), from: z.coerce.number(), to: z.coerce.number() })
  .refine(({ from, to }) => from < to && to - from <= MOST_MS, `from and to are at most ${MOST_MS} ms apart`)

interface Range {
  fromMs: number
  toMs: number
}

/** The truth about perps: contexts and trades of any time, also of times whose frames a fault held back. */
export function perpAdminRoutes(app: FastifyInstance, perps: PerpMarket): void {
  const answer = (query: unknown, reply: FastifyReply, truth: (coin: Coin, range: Range) => unknown): unknown => {
    const wanted = Wanted.safeParse(query)
    if (!wanted.success) return reply.code(400).send({ error: z.prettifyError(wanted.error) })
    const coin = perpCoin(wanted.data.coin)
    if (coin === undefined) return reply.code(404).send({ error: `coin ${wanted.data.coin} is unknown` })
    return truth(coin, { fromMs: wanted.data.from, toMs: wanted.data.to })
  }
  app.get('/contexts', ({ query }, reply) => answer(query, reply, (coin, range) => contextsIn(perps, coin, range)))
  app.get('/trades', ({ query }, reply) => answer(query, reply, (coin, range) => perps.tradesIn(coin, range)))
}
