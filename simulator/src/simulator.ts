import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { adminRoutes } from './admin-routes.ts'
import { SpotFeed } from './binance/spot-feed.ts'
import { tickerRoutes } from './binance/ticker-routes.ts'
import { worldClock } from './clock.ts'
import { Oracle } from './faults/oracle.ts'
import { type FaultOrder, type Feed, Switchboard } from './faults/switchboard.ts'
import { infoRoute } from './hyperliquid/info-route.ts'
import { perpAdminRoutes } from './hyperliquid/perp-admin-routes.ts'
import { PerpFeed } from './hyperliquid/perp-feed.ts'
import { PerpMarket } from './hyperliquid/perp-market.ts'
import { Handshake, type KalshiKey, simulatedKey, unauthorised } from './kalshi/handshake.ts'
import { kalshiAdminRoutes } from './kalshi/kalshi-admin-routes.ts'
import { KalshiFeed } from './kalshi/kalshi-feed.ts'
import type { KalshiSize } from './kalshi/kalshi-roster.ts'
import { kalshiRoutes } from './kalshi/kalshi-routes.ts'
import { KalshiWorld, type KalshiWorldOptions } from './kalshi/kalshi-world.ts'
import type { DeliveryLimits } from './paced-queue.ts'
import { btcPayRoutes } from './payments/btcpay-routes.ts'
import { invoicePageRoutes } from './payments/invoice-page-routes.ts'
import { nowPaymentsRoutes } from './payments/nowpayments-routes.ts'
import { paymentAdminRoutes } from './payments/payment-admin-routes.ts'
import { PaymentProcessors } from './payments/payment-processors.ts'
import { clobRoutes } from './polymarket/clob-routes.ts'
import { gammaRoutes } from './polymarket/gamma-routes.ts'
import { MarketFeed } from './polymarket/market-feed.ts'
import type { Tape } from './polymarket/tape/tape.ts'
import { restFaults } from './rest-faults.ts'
import { PriceFeed } from './rtds/price-feed.ts'
import { Sockets } from './sockets.ts'
import { World, type WorldOptions } from './world/world.ts'

export interface SimulatorOptions extends WorldOptions {
  port: number
  /** Speed of the simulated clock, as a multiple of real time. */
  speed: number
  faults: readonly FaultOrder[]
  /** The world has lived this long when the simulator starts, so that there are ended markets; default: not at all. */
  pastMs?: number
  /** Of a market socket, with the habit `delivery-limits`; default: as measured. */
  deliveryLimits?: DeliveryLimits
  /** Of a market socket, with the habit `socket-stalls`; default: as measured. */
  stallsPerSecond?: number
  /** Number of Kalshi markets by activity; default: none, and then there is no key either. */
  kalshi?: KalshiSize
  /** Frames of the same world, written ahead of time; default: none. */
  tape?: Tape
}

export interface Simulator {
  /** Base address of each simulated venue. */
  addresses: Record<
    | 'gamma'
    | 'clob'
    | 'marketSocket'
    | 'priceSocket'
    | 'kalshi'
    | 'kalshiSocket'
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
  kalshi: KalshiWorld
  /** With which clients of the simulated Kalshi sign their handshake; undefined without Kalshi markets. */
  kalshiKey: KalshiKey | undefined
  stop(): Promise<void>
}

const ADVANCE_EVERY_MS = 5
/** With a tape, most of the work is writing to sockets: fewer and larger writes. */
const PLAY_EVERY_MS = 20

/** Serves venues and payment processors on one loopback port, each under its own path prefix. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const now = worldClock(options.startMs, options.speed)
  const oracle = new Oracle()
  const faults = new Switchboard(options.seed, oracle, now)
  const worldOptions = { ...options, startMs: options.startMs - (options.pastMs ?? 0) }
  const world = new World(worldOptions, (happening) => marketFeed.publish(happening))
  const kalshi = new KalshiWorld(kalshiOptions(options), (happening) => kalshiFeed.publish(happening))
  const kalshiKey = options.kalshi === undefined ? undefined : simulatedKey()
  const perps = new PerpMarket(options.seed, world.spot)
  const marketFeed = new MarketFeed(world, faults, options.tape)
  const kalshiFeed = new KalshiFeed(kalshi, faults)
  const handshake = kalshiKey && new Handshake(kalshiKey, faults, () => kalshi.nowMs)
  const perpFeed = new PerpFeed(world, perps, faults)
  const spotFeed = new SpotFeed(world, options.seed, faults)
  const priceFeed = new PriceFeed(world, options.seed)
  world.advance(options.startMs)
  kalshi.advance(options.startMs)

  const app = Fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 512 } })
  const sockets = new Sockets(
    app.server,
    [
      {
        feed: 'polymarket',
        isPath: (path) => path === '/polymarket/ws/market',
        accept: (delivery) => marketFeed.accept(delivery),
      },
      {
        feed: 'kalshi',
        isPath: (path) => path === '/kalshi/trade-api/ws/v2',
        refusal: (headers) =>
          handshake === undefined
            ? unauthorised('NOT_FOUND')
            : handshake.refusal(headers, kalshiFeed.subscriptions.connections.size),
        accept: (delivery) => kalshiFeed.accept(delivery),
      },
      {
        feed: 'hyperliquid',
        isPath: (path) => path === '/hyperliquid/ws',
        accept: (delivery) => perpFeed.accept(delivery),
      },
      { feed: 'rtds', isPath: (path) => path === '/rtds', accept: (delivery) => priceFeed.accept(delivery) },
      { feed: 'binance', isPath: isSpotPath, accept: (delivery, address) => spotFeed.accept(delivery, address) },
    ],
    faults,
    options,
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
  venue('kalshi', (routes) => kalshiRoutes(routes, kalshi, faults))
  venue('hyperliquid', (routes) => infoRoute(routes, world, perps))
  venue('binance', (routes) => tickerRoutes(routes, world))
  const processors = new PaymentProcessors()
  app.register(async (routes) => nowPaymentsRoutes(routes, processors), { prefix: '/nowpayments/v1' })
  app.register(async (routes) => btcPayRoutes(routes, processors), { prefix: '/btcpay' })
  app.register(async (routes) => invoicePageRoutes(routes, processors))
  app.register(async (routes) => paymentAdminRoutes(routes, processors), { prefix: '/admin/payments' })
  app.register(async (routes) => adminRoutes(routes, { world, options: worldOptions, faults, oracle, sockets }), {
    prefix: '/admin',
  })
  app.register(async (routes) => perpAdminRoutes(routes, perps), { prefix: '/admin/perps' })
  const kalshiParts = { world: kalshi, feed: kalshiFeed, key: kalshiKey }
  app.register(async (routes) => kalshiAdminRoutes(routes, kalshiParts), { prefix: '/admin/kalshi' })
  for (const order of options.faults) faults.switchOn(order)

  await app.listen({ host: '127.0.0.1', port: options.port })
  const timer = setInterval(
    () => {
      for (const delivery of sockets.deliveries) delivery.cork()
      world.advance(now())
      // A test may have moved the world by hand.
      kalshi.advance(world.nowMs)
      kalshiFeed.sendDue()
      perpFeed.sendDue()
      spotFeed.sendDue()
      priceFeed.sendDue()
      sockets.sendWaiting()
      for (const delivery of sockets.deliveries) delivery.uncork()
    },
    options.tape === undefined ? ADVANCE_EVERY_MS : PLAY_EVERY_MS,
  )

  return {
    addresses: addressesAt(`127.0.0.1:${(app.server.address() as AddressInfo).port}`),
    world,
    kalshi,
    kalshiKey,
    async stop() {
      clearInterval(timer)
      sockets.closeAll()
      await processors.callbacks.close()
      await app.close()
    },
  }
}

/** As the other world, it has lived for `pastMs` at the start. */
function kalshiOptions({ seed, startMs, pastMs = 0, kalshi, behaviours = [] }: SimulatorOptions): KalshiWorldOptions {
  return { seed, startMs: startMs - pastMs, size: kalshi ?? { hot: 0, medium: 0, cold: 0 }, behaviours }
}

function isSpotPath(path: string): boolean {
  return path === '/binance/stream' || path === '/binance/ws' || path.startsWith('/binance/ws/')
}

/** Addresses of the venues of the simulator at this host and port. */
export function addressesAt(hostAndPort: string): Simulator['addresses'] {
  const http = `http://${hostAndPort}`
  const ws = `ws://${hostAndPort}`
  return {
    gamma: `${http}/gamma`,
    clob: `${http}/clob`,
    marketSocket: `${ws}/polymarket/ws/market`,
    priceSocket: `${ws}/rtds`,
    kalshi: `${http}/kalshi/trade-api/v2`,
    kalshiSocket: `${ws}/kalshi/trade-api/ws/v2`,
    perpInfo: `${http}/hyperliquid/info`,
    perpSocket: `${ws}/hyperliquid/ws`,
    spot: `${http}/binance`,
    spotSocket: `${ws}/binance`,
    nowPayments: `${http}/nowpayments/v1`,
    btcPay: `${http}/btcpay`,
    admin: `${http}/admin`,
  }
}
