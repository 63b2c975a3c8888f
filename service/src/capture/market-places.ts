import type { Doubt } from '../domain/doubt.ts'
import type { Market } from '../domain/market.ts'
import type { BinaryVenue, ExpectedTraffic, Traffic } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { RouteChange } from './market-route.ts'
import { MarketTraffic } from './market-traffic.ts'
import { MoveAttempts } from './move-attempts.ts'
import type { OpenSocket } from './open-socket.ts'
import type { SocketLimits } from './socket-limits.ts'
import { SocketPlan } from './socket-plan.ts'

export interface MarketPlacesDeps {
  venue: BinaryVenue
  limits: SocketLimits
  nowMs: () => number
  metrics: CaptureMetrics
  /** The open socket of this number; opens it if necessary. */
  socket(id: number): OpenSocket
  openSocket(id: number): OpenSocket | undefined
  routed(change: RouteChange): void
  lost(marketIds: readonly string[], doubt: Doubt, lastDataAtMs: number | undefined, socket: number): void
}

/**
 * Why a market moves. `own_socket`: it will soon be busy. `busy`: its socket has too much to deliver. `no_book`: it gets
 * no good book where it is. The others: its socket is replaced.
 */
export type MoveReason = 'own_socket' | 'busy' | 'no_book' | 'lag' | 'silent' | 'stale'

interface Move {
  reason: MoveReason
  untilMs: number
}

/** What the market leaves behind on the socket before its move. */
interface Leaving {
  /** Venue time from which the new socket has everything. */
  changedAtMs: number
  untilMs: number
}

/** After so many moves in vain a market leaves a late socket even without a proved book. */
const MOVES_BEFORE_FORCE = 2

/** Subscribes each market on its socket, and moves it to another one without a hole. */
export class MarketPlaces {
  readonly plan: SocketPlan
  readonly traffic: MarketTraffic
  readonly #deps: MarketPlacesDeps
  readonly #markets = new Map<string, Market>()
  readonly #moves = new Map<string, Move>()
  readonly #leaving = new Map<string, Leaving>()
  readonly #attempts = new MoveAttempts()

  constructor(deps: MarketPlacesDeps) {
    this.#deps = deps
    this.traffic = new MarketTraffic(deps.nowMs())
    this.plan = new SocketPlan(deps.venue.socket, (marketId) => this.#trafficOf(marketId))
  }

  get markets(): ReadonlyMap<string, Market> {
    return this.#markets
  }

  add(market: Market): void {
    if (this.#markets.has(market.id)) return
    this.#markets.set(market.id, market)
    this.traffic.add(market.id)
    this.assign(market, this.plan.choose(this.expected(market)))
  }

  remove({ id, tokenIds }: Market): void {
    for (const socket of this.#socketsOf(id)) this.#deps.openSocket(socket)?.subscriptions.remove(tokenIds)
    this.plan.remove(id)
    this.traffic.remove(id)
    this.#attempts.forget(id)
    for (const known of [this.#markets, this.#moves, this.#leaving]) known.delete(id)
  }

  known(marketIds: readonly string[]): Market[] {
    return marketIds.map((id) => this.#markets.get(id)).filter((market) => market !== undefined)
  }

  expected(market: Market): ExpectedTraffic {
    const { isExclusive } = this.#deps.venue.socket.expectedTraffic(market, this.#deps.nowMs())
    return { isExclusive, ...this.#trafficOf(market.id) }
  }

  isMoving(marketId: string): boolean {
    const place = this.plan.places.get(marketId)
    return place?.next !== undefined || place?.leaving !== undefined
  }

  /** The market uses this socket alone. Its frames are taken from now on, so the route comes before the subscription. */
  assign(market: Market, socket: number): void {
    for (const other of this.#socketsOf(market.id))
      if (other !== socket) this.#deps.openSocket(other)?.subscriptions.remove(market.tokenIds)
    this.#moves.delete(market.id)
    this.#leaving.delete(market.id)
    this.plan.assign(market.id, socket)
    this.#deps.routed({ kind: 'assigned', marketId: market.id, socket })
    this.#deps.socket(socket).subscriptions.add(market.tokenIds)
  }

  /** Returns whether the move has begun. The pauses between the moves of one market grow. */
  move(market: Market, reason: MoveReason): boolean {
    const place = this.plan.places.get(market.id)
    if (place === undefined || this.isMoving(market.id)) return false
    if (!this.#attempts.isAllowed(market.id, this.#deps.nowMs())) return false
    this.beginMove(market, this.plan.choose(this.expected(market), new Set([place.current])), reason)
    return true
  }

  beginMove(market: Market, socket: number, reason: MoveReason): void {
    const nowMs = this.#deps.nowMs()
    this.#attempts.note(market.id, nowMs)
    this.#moves.set(market.id, { reason, untilMs: nowMs + this.#deps.limits.moveWithinMs })
    this.plan.beginMove(market.id, socket)
    this.#deps.routed({ kind: 'moving', marketId: market.id, socket })
    this.#deps.socket(socket).subscriptions.add(market.tokenIds)
  }

  /** The market's book comes from its next socket now; the old one may still have trades of the time before. */
  switched(marketId: string, changedAtMs: number): void {
    const reason = this.#moves.get(marketId)?.reason
    if (reason === undefined) return
    this.#moves.delete(marketId)
    this.plan.switchOver(marketId)
    const untilMs = this.#deps.nowMs() + this.#deps.limits.lastTradesWithinMs
    this.#leaving.set(marketId, { changedAtMs, untilMs })
    this.#deps.metrics.marketMoves.inc({ reason, outcome: 'proved' })
  }

  stay(market: Market): void {
    const next = this.plan.places.get(market.id)?.next
    if (next === undefined) return
    this.#deps.openSocket(next)?.subscriptions.remove(market.tokenIds)
    this.#moves.delete(market.id)
    this.plan.cancelMove(market.id)
    this.#deps.routed({ kind: 'stayed', marketId: market.id })
  }

  leave(marketId: string): void {
    const socket = this.plan.places.get(marketId)?.leaving
    const market = this.#markets.get(marketId)
    if (socket === undefined || market === undefined) return
    this.#deps.openSocket(socket)?.subscriptions.remove(market.tokenIds)
    this.#leaving.delete(marketId)
    this.plan.leave(marketId)
    this.#deps.routed({ kind: 'left', marketId })
  }

  /** Ends what takes too long. */
  step(nowMs: number): void {
    for (const [id, { changedAtMs, untilMs }] of [...this.#leaving]) {
      const socket = this.#deps.openSocket(this.plan.places.get(id)?.leaving ?? 0)
      if (socket === undefined || socket.newestChangeAtMs >= changedAtMs || nowMs >= untilMs) this.leave(id)
    }
    for (const [id, { reason, untilMs }] of [...this.#moves]) if (nowMs >= untilMs) this.#endMove(id, reason)
  }

  #endMove(marketId: string, reason: MoveReason): void {
    const market = this.#markets.get(marketId)
    const { current, next } = this.plan.places.get(marketId) ?? {}
    if (market === undefined || current === undefined || next === undefined) return
    const mayStay =
      reason === 'busy' ||
      reason === 'own_socket' ||
      (reason === 'lag' && this.#attempts.countOf(marketId) <= MOVES_BEFORE_FORCE)
    this.#deps.metrics.marketMoves.inc({ reason, outcome: mayStay ? 'stayed' : 'forced' })
    if (mayStay) return this.stay(market)
    // The old socket is no better than the new one, which has no proved book either.
    const doubt: Doubt = { cause: 'resync', detail: 'the market had to move to another socket' }
    this.#deps.lost([marketId], doubt, this.#deps.openSocket(current)?.lastDataAtMs, current)
    this.assign(market, next)
  }

  #socketsOf(marketId: string): number[] {
    const { current, next, leaving } = this.plan.places.get(marketId) ?? {}
    return [current, next, leaving].filter((socket) => socket !== undefined)
  }

  #trafficOf(marketId: string): Traffic {
    const market = this.#markets.get(marketId)
    const { socket } = this.#deps.venue
    const expected = market === undefined ? undefined : socket.expectedTraffic(market, this.#deps.nowMs())
    return this.traffic.of(marketId) ?? expected ?? { framesPerS: 0, bytesPerS: 0 }
  }
}
