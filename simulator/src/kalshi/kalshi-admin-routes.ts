import type { FastifyInstance } from 'fastify'
import type { KalshiKey } from './handshake.ts'
import type { KalshiFeed } from './kalshi-feed.ts'
import type { KalshiMarket } from './kalshi-market.ts'
import type { KalshiWorld } from './kalshi-world.ts'

/** The truth about the simulated Kalshi, for tests and experiments in other processes. */
export function kalshiAdminRoutes(
  app: FastifyInstance,
  { world, feed, key }: { world: KalshiWorld; feed: KalshiFeed; key: KalshiKey | undefined },
): void {
  // With the same options and interventions, `replayKalshi` goes through the same books.
  app.get('/world', () => ({
    options: world.options,
    interventions: world.interventions,
    nowMs: world.nowMs,
    isPaused: world.isPaused,
    markets: world.markets.size,
  }))
  app.get('/key', (_request, reply) => key ?? reply.code(404).send({ error: 'there are no Kalshi markets' }))
  app.get('/followed', () => feed.subscriptions.followed)
  app.get('/results', () => [...world.markets.values()].filter(({ result }) => result !== undefined).map(resultOf))
  app.get<{ Params: { ticker: string } }>('/markets/:ticker', ({ params }, reply) => {
    const market = world.markets.get(params.ticker)
    return market === undefined ? reply.code(404).send(unknown(params.ticker)) : stateOf(market)
  })
  app.post<{ Params: { ticker: string } }>('/markets/:ticker/close', ({ params }, reply) => {
    const market = world.markets.get(params.ticker)
    if (market?.status !== 'active') return reply.code(404).send(unknown(params.ticker))
    world.intervene({ kind: 'close', ticker: params.ticker, atMs: world.nowMs })
    return reply.code(202).send()
  })
}

function unknown(ticker: string): { error: string } {
  return { error: `market ${ticker} is unknown or not trading` }
}

function resultOf({ ticker, result, closeMs, determinedAtMs, settledAtMs }: KalshiMarket): object {
  return { ticker, result, closeMs, determinedAtMs, settledAtMs }
}

/** Prices of YES in units of 0.0001, sizes in units of 0.01 contracts. */
function stateOf(market: KalshiMarket): object {
  const { status, activity, strike, changedAtMs, changes, book } = market
  return { ...resultOf(market), status, activity, strike, changedAtMs, changes, bids: book.bids, asks: book.asks }
}
