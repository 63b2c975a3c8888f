import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { adminRoutes } from './admin-routes.ts'
import { SpotFeed } from './binance/spot-feed.ts'
import { tickerRoutes } from './binance/ticker-routes.ts'
import { worldClock } from './clock.ts'
import { Oracle } from './faults/oracle.ts'
import { type FaultOrder, type Feed, Switchboard } from './faults/switchboard.ts'
import { infoRoute } from './hyperliquid/info-route.ts'
import { PerpFeed } from './hyperliquid/perp-feed.ts'
import { PerpMarket } from './hyperliquid/perp-market.ts'
import { btcPayRoutes } from './payments/btcpay-routes.ts'
import { nowPaymentsRoutes } from './payments/nowpayments-routes.ts'
import { paymentAdminRoutes } from './payments/payment-admin-routes.ts'
import { PaymentDesk } from './payments/payment-desk.ts'
import { clobRoutes } from './polymarket/clob-routes.ts'
import { gammaRoutes } from './polymarket/gamma-routes.ts'
import { MarketFeed } from './polymarket/market-feed.ts'
import { restFaults } from './rest-faults.ts'
import { Sockets } from './sockets.ts'
import { World, type WorldOptions } from './world/world.ts'

export interface SimulatorOptions extends WorldOptions {
  port: number
  /** How many times faster than ours the world's clock runs. */
  speed: number
  faults: readonly FaultOrder[]
}

export interface Simulator {
  /** Where each venue's host would be. */
  addresses: Record<
    | 'gamma'
    | 'clob'
    | 'marketSocket'
    | 'perpInfo'
    | 'perpSocket'
    | 'spot'
    | 'spotSocket'
    | 'nowPayments'
    | 'btcPay'
    | 'admin',
    string
  >
  world: World
  stop(): Promise<void>
}

const PUMP_EVERY_MS = 5

/** Venues and payment processors on one loopback port, each under a prefix that stands for its host. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const now = worldClock(options.startMs, options.speed)
  const oracle = new Oracle()
  const faults = new Switchboard(options.seed, oracle, now)
  const world = new World(options, (happening) => marketFeed.tell(happening))
  const perps = new PerpMarket(options.seed, world.spot)
  const marketFeed = new MarketFeed(world, faults)
  const perpFeed = new PerpFeed(world, perps, faults)
  const spotFeed = new SpotFeed(world, options.seed, faults)

  const app = Fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 512 } })
  const sockets = new Sockets(
    app.server,
    [
      {
        feed: 'polymarket',
        isPath: (path) => path === '/polymarket/ws/market',
        accept: (wire) => marketFeed.accept(wire),
      },
      { feed: 'hyperliquid', isPath: (path) => path === '/hyperliquid/ws', accept: (wire) => perpFeed.accept(wire) },
      { feed: 'binance', isPath: isSpotPath, accept: (wire, address) => spotFeed.accept(wire, address) },
    ],
    faults,
  )
  const venue = (feed: Feed, addRoutes: (routes: FastifyInstance) => void): void => {
    app.register(
      async (routes) => {
        restFaults(routes, feed, faults)
        addRoutes(routes)
      },
      { prefix: `/${feed}` },
    )
  }
  venue('gamma', (routes) => gammaRoutes(routes, world, faults))
  venue('clob', (routes) => clobRoutes(routes, world, faults))
  venue('hyperliquid', (routes) => infoRoute(routes, world, perps))
  venue('binance', (routes) => tickerRoutes(routes, world))
  const desk = new PaymentDesk()
  app.register(async (routes) => nowPaymentsRoutes(routes, desk), { prefix: '/nowpayments/v1' })
  app.register(async (routes) => btcPayRoutes(routes, desk), { prefix: '/btcpay' })
  app.register(async (routes) => paymentAdminRoutes(routes, desk), { prefix: '/admin/payments' })
  app.register(async (routes) => adminRoutes(routes, { world, options, faults, oracle, sockets }), { prefix: '/admin' })
  for (const order of options.faults) faults.switchOn(order)

  await app.listen({ host: '127.0.0.1', port: options.port })
  const pump = setInterval(() => {
    for (const wire of sockets.wires) wire.cork()
    world.advance(now())
    perpFeed.pulse()
    spotFeed.pulse()
    for (const wire of sockets.wires) wire.uncork()
  }, PUMP_EVERY_MS)

  return {
    addresses: addressesAt(`127.0.0.1:${(app.server.address() as AddressInfo).port}`),
    world,
    async stop() {
      clearInterval(pump)
      sockets.closeAll()
      await desk.post.close()
      await app.close()
    },
  }
}

function isSpotPath(path: string): boolean {
  return path === '/binance/stream' || path === '/binance/ws' || path.startsWith('/binance/ws/')
}

/** Where each venue is, given host and port of a simulator. */
export function addressesAt(hostAndPort: string): Simulator['addresses'] {
  const http = `http://${hostAndPort}`
  const ws = `ws://${hostAndPort}`
  return {
    gamma: `${http}/gamma`,
    clob: `${http}/clob`,
    marketSocket: `${ws}/polymarket/ws/market`,
    perpInfo: `${http}/hyperliquid/info`,
    perpSocket: `${ws}/hyperliquid/ws`,
    spot: `${http}/binance`,
    spotSocket: `${ws}/binance`,
    nowPayments: `${http}/nowpayments/v1`,
    btcPay: `${http}/btcpay`,
    admin: `${http}/admin`,
  }
}
