import type { Simulator } from '@bookreel/simulator/simulator'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { BookWatch, type BookWatchDeps } from '../../src/capture/book-watch.ts'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { Follower } from '../../src/capture/follower.ts'
import type { SocketLimits } from '../../src/capture/socket-limits.ts'
import { VenueSockets } from '../../src/capture/venue-sockets.ts'
import type { Doubt } from '../../src/domain/doubt.ts'
import type { Market } from '../../src/domain/market.ts'
import type { Trade } from '../../src/domain/rows/trade.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import type { BinaryVenue } from '../../src/venues/venue.ts'
import { marketFacts } from '../venues/world-truth.ts'

/** `Follower` and `VenueSockets`, and on request `BookWatch`, on a simulator, without rows and NATS; they end with the test. */
export function socketScene(
  simulator: Simulator,
  {
    limits,
    changed = {},
    areBooksWatched = false,
  }: { limits?: Partial<SocketLimits>; changed?: Partial<Market>; areBooksWatched?: boolean } = {},
) {
  const { gamma: gammaUrl, clob: clobUrl, marketSocket: socketUrl, admin } = simulator.addresses
  const real = polymarket({ gammaUrl, clobUrl, socketUrl })
  /** Tokens whose books were requested over REST. */
  const requested: string[] = []
  const venue: BinaryVenue = {
    ...real,
    fetchBooks: (tokenIds, signal) => {
      requested.push(...tokenIds)
      return real.fetchBooks(tokenIds, signal)
    },
  }
  // The simulator's time, so that windows are as near as they are there.
  const offsetMs = simulator.world.nowMs - performance.now()
  const nowMs = (): number => offsetMs + performance.now()
  const log = pino({ level: 'silent' })
  const registry = new Registry()
  const metrics = captureMetrics(registry)
  const trades: Trade[] = []
  const lost: { marketIds: readonly string[]; doubt: Doubt }[] = []
  const resolved: string[] = []
  const allResolved: string[] = []
  /** Sockets in the order in which they were opened. */
  const opened: { socket: number; marketIds: readonly string[] }[] = []
  const socketOf = new Map<string, number>()
  const follower: Follower = new Follower({
    venue,
    nowMs,
    onTrade: (trade) => trades.push(trade),
    onResolved: ({ marketId }) => {
      const market = follower.markets.get(marketId)?.market
      resolved.push(marketId)
      if (market !== undefined) sockets.remove(market)
      follower.remove(marketId)
    },
    onProblem: () => {},
    onDoubt: () => {},
    onSwitched: (marketId, changedAtMs) => sockets.switched(marketId, changedAtMs),
    onMarketFrame: (frame) => {
      socketOf.set(frame.marketId, frame.socket)
      sockets.noteFrame(frame)
    },
  })
  const sockets: VenueSockets = new VenueSockets({
    venue,
    nowMs,
    log,
    metrics,
    limits,
    owner: {
      frame: (text, receivedAtMs, socket) => follower.frame(text, receivedAtMs, socket),
      protocolOf: (socket) => follower.protocolOf(socket),
      closed: (socket) => follower.closed(socket),
      opened: (marketIds, socket) => {
        follower.opened(socket)
        opened.push({ socket, marketIds })
        bookWatch.opened(marketIds)
      },
      lost: (marketIds, doubt, lastDataAtMs) => {
        lost.push({ marketIds, doubt })
        follower.lost(marketIds, doubt, lastDataAtMs)
      },
      allResolved: (marketIds) => allResolved.push(...marketIds),
      routed: (change) => follower.route(change),
      settleMoves: (atMs) => follower.settleMoves(atMs),
    },
  })
  const recording: BookWatchDeps['recording'] = {
    markets: follower.markets,
    apply(input) {
      if (input.kind === 'compared') follower.markets.get(input.marketId)?.compare(input.books, input.atMs)
      if (input.kind === 'confirmed') follower.markets.get(input.marketId)?.confirm(input.atMs)
      if (input.kind === 'lost') follower.lost(input.marketIds, input.doubt, input.lastDataAtMs)
    },
  }
  const bookWatch = new BookWatch({ venue, recording, sockets, nowMs, log, metrics })
  const stop = new AbortController()
  const running = Promise.all([sockets.run(stop.signal), areBooksWatched ? bookWatch.run(stop.signal) : undefined])
  const settling = setInterval(() => {
    for (const followed of follower.markets.values()) followed.settle(nowMs())
  }, 100)
  onTestFinished(async () => {
    clearInterval(settling)
    stop.abort()
    await running
  })

  const follow = (isFollowed: (market: WorldMarket) => boolean): Market[] => {
    const markets = [...simulator.world.markets.values()].filter(isFollowed).map((each) => {
      return { ...marketFacts(each), ...changed }
    })
    for (const market of markets) {
      follower.add(market)
      sockets.add(market)
    }
    return markets
  }
  const connections = async (): Promise<{ id: string; framesSent: number }[]> => {
    const all = (await (await fetch(`${admin}/connections`)).json()) as { id: string; framesSent: number }[]
    return all
  }
  const countOf = async (name: string): Promise<{ labels: object; value: number }[]> =>
    (await registry.getSingleMetric(name)?.get())?.values ?? []
  const isProved = ({ id }: Market): boolean => follower.markets.get(id)?.book.proved !== undefined
  return {
    follower,
    sockets,
    follow,
    connections,
    countOf,
    isProved,
    requested,
    trades,
    lost,
    opened,
    resolved,
    allResolved,
    socketOf,
    nowMs,
  }
}
