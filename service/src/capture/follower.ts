import type { Doubt } from '../domain/doubt.ts'
import type { Market } from '../domain/market.ts'
import type { Trade } from '../domain/rows/trade.ts'
import type { FrameOutcome } from '../venues/feed-options.ts'
import type {
  BinaryBook,
  BinaryVenue,
  BookUpdate,
  FrameProblem,
  ResolvedEvent,
  SocketProtocol,
  VenueEvent,
} from '../venues/venue.ts'
import { EqualFills } from './equal-fills.ts'
import { type FollowedCheckpoint, FollowedMarket } from './followed-market.ts'
import { MarketRoute, type RouteChange, type RouteCheckpoint } from './market-route.ts'

export interface FollowerDeps {
  venue: BinaryVenue
  nowMs: () => number
  onTrade(trade: Trade): void
  onResolved(event: ResolvedEvent): void
  onProblem(problem: FrameProblem): void
  /** A book does not match the venue's hash. */
  onDoubt(market: Market, doubt: Doubt): void
  /** A market has moved to another socket: its book comes from there now. `atMs` is the venue time of that book. */
  onSwitched?(marketId: string, atMs: number): void
  onMarketFrame?(frame: MarketFrame): void
}

/** What one frame had for one market, to measure its traffic and how late it came. */
export interface MarketFrame {
  marketId: string
  socket: number
  /** One frame may hold the books of many markets; this is the market's share. */
  frames: number
  bytes: number
  /** Venue time of the newest change; undefined when there is none, as in a first book. */
  changedAtMs: number | undefined
  receivedAtMs: number
}

/** One event's share of the frame that held it. */
interface FramePart {
  socket: number
  frames: number
  bytes: number
  equalFills: EqualFills
}

/** A followed market with its sockets. */
export interface FollowerCheckpoint {
  readonly followed: FollowedCheckpoint
  readonly route?: RouteCheckpoint | undefined
}

export interface ProtocolCheckpoint {
  readonly socket: number
  readonly checkpoint: unknown
}

/** The socket of frames that do not come from a socket. */
const NO_SOCKET = 0

/**
 * Applies a venue's frames to the followed markets. A market takes its frames from its own socket; while it moves to
 * another one, the frames of that one build a second book, which replaces the first when it is proved and not older.
 */
export class Follower {
  readonly markets = new Map<string, FollowedMarket>()
  readonly #routes = new Map<string, MarketRoute>()
  readonly #outcomes = new Map<string, { followed: FollowedMarket; outcome: 0 | 1 }>()
  readonly #protocols = new Map<number, SocketProtocol>()
  /** Sockets whose protocol has seen everything since the connection began. */
  readonly #begun = new Set<number>()
  readonly #deps: FollowerDeps

  constructor(deps: FollowerDeps) {
    this.#deps = deps
  }

  add(market: Market): FollowedMarket {
    const known = this.markets.get(market.id)
    if (known !== undefined) return known
    const { venue, nowMs } = this.#deps
    const onDoubt = (doubt: Doubt): void => this.#deps.onDoubt(market, doubt)
    const followed = new FollowedMarket(venue.openBook(market), nowMs(), onDoubt)
    this.markets.set(market.id, followed)
    for (const outcome of [0, 1] as const) this.#outcomes.set(market.tokenIds[outcome], { followed, outcome })
    return followed
  }

  checkpoint(marketId: string): FollowerCheckpoint | undefined {
    const followed = this.markets.get(marketId)
    return followed && { followed: followed.checkpoint(), route: this.#routes.get(marketId)?.checkpoint() }
  }

  restore(market: Market, { followed: checkpoint, route }: FollowerCheckpoint): FollowedMarket {
    const followed = this.add(market)
    followed.restore(checkpoint)
    const openBook = (): BinaryBook => this.#deps.venue.openBook(market)
    if (route !== undefined) this.#routes.set(market.id, MarketRoute.restored(route, openBook))
    return followed
  }

  remove(marketId: string): void {
    const followed = this.markets.get(marketId)
    if (followed === undefined) return
    this.markets.delete(marketId)
    this.#routes.delete(marketId)
    for (const token of followed.market.tokenIds) this.#outcomes.delete(token)
  }

  /** A market without a route takes its frames from everywhere. */
  route(change: RouteChange): void {
    const followed = this.markets.get(change.marketId)
    const route = this.#routes.get(change.marketId)
    if (followed === undefined) return
    switch (change.kind) {
      case 'assigned':
        if (route === undefined) this.#routes.set(change.marketId, new MarketRoute(change.socket))
        else {
          if (route.next?.socket === change.socket) followed.replaceBook(route.next.book)
          route.assign(change.socket)
        }
        return
      case 'moving':
        return route?.beginMove(change.socket, this.#deps.venue.openBook(followed.market))
      case 'stayed':
        return route?.stay()
      case 'left':
        return route?.leave()
    }
  }

  /** A connection begins with a protocol that has seen nothing. */
  opened(socket: number): void {
    this.#begun.add(socket)
    this.#protocols.set(socket, this.#deps.venue.openProtocol())
  }

  closed(socket: number): void {
    this.#begun.delete(socket)
    this.#protocols.delete(socket)
  }

  protocolOf(socket: number): SocketProtocol {
    const known = this.#protocols.get(socket)
    if (known !== undefined) return known
    const protocol = this.#deps.venue.openProtocol()
    this.#protocols.set(socket, protocol)
    return protocol
  }

  /** What each connection remembers, for those that remember anything. */
  checkpointProtocols(): ProtocolCheckpoint[] {
    return [...this.#protocols].flatMap(([socket, protocol]) => {
      const checkpoint = protocol.checkpoint()
      return checkpoint === undefined ? [] : [{ socket, checkpoint }]
    })
  }

  /** A rebuild may begin in the middle of a connection: frames before its checkpoint can't be understood. */
  restoreProtocols(checkpoints: readonly ProtocolCheckpoint[]): void {
    for (const { socket, checkpoint } of checkpoints) {
      if (this.#begun.has(socket)) continue
      this.opened(socket)
      this.protocolOf(socket).restore(checkpoint)
    }
  }

  frame(text: string, receivedAtMs: number, socket = NO_SOCKET): FrameOutcome {
    const { events, problems, loss } = this.protocolOf(socket).decode(text, receivedAtMs)
    const share = events.length === 0 ? 0 : 1 / events.length
    const part: FramePart = { socket, frames: share, bytes: text.length * share, equalFills: new EqualFills() }
    for (const event of events) this.#take(event, receivedAtMs, part)
    for (const problem of problems) {
      this.#deps.onProblem(problem)
      if (problem.kind !== 'undecodable' || problem.marketId === undefined) continue
      if (this.#isCurrent(problem.marketId, socket))
        this.markets.get(problem.marketId)?.distrust({ cause: 'undecodable', detail: problem.reason })
    }
    // New markets are announced on every socket, also on one that delivers nothing else.
    return loss ?? (events.some(({ kind }) => kind !== 'created') ? 'data' : 'no_data')
  }

  /** Lets the books that are being built judge their pending batches; they may be ready without a further frame. */
  settleMoves(nowMs: number): void {
    for (const [marketId, route] of this.#routes) {
      if (route.next === undefined) continue
      route.next.book.settle(nowMs)
      this.#switchIfReady(marketId, route)
    }
  }

  /** The socket of these markets ended; until its last frame it delivered every event in order. */
  lost(marketIds: Iterable<string>, doubt: Doubt, lastDataAtMs: number | undefined): void {
    for (const id of marketIds) this.markets.get(id)?.distrust(doubt, lastDataAtMs)
  }

  #take(event: VenueEvent, receivedAtMs: number, { socket, frames, bytes, equalFills }: FramePart): void {
    switch (event.kind) {
      case 'book':
      case 'change':
      case 'delta':
      case 'tick': {
        const changedAtMs = event.kind === 'change' || event.kind === 'delta' ? event.eventAtMs : undefined
        this.#takeBook(event.marketId, event, receivedAtMs, socket)
        this.#deps.onMarketFrame?.({ marketId: event.marketId, socket, frames, bytes, changedAtMs, receivedAtMs })
        return
      }
      case 'trade': {
        const { marketId, tradedAtMs } = event.trade
        const known = this.#outcomes.get(event.tokenId)
        if (known === undefined || known.followed.market.id !== marketId) return
        this.#takeBook(marketId, event, receivedAtMs, socket)
        this.#deps.onMarketFrame?.({ marketId, socket, frames, bytes, changedAtMs: tradedAtMs, receivedAtMs })
        const occurrence = equalFills.countBefore(event)
        const route = this.#routes.get(marketId)
        if (route !== undefined && !route.takesTrade(socket, event)) return
        this.#deps.onTrade({
          ...event.trade,
          outcome: known.outcome,
          receivedAtMs: Math.round(receivedAtMs),
          occurrence,
        })
        return
      }
      case 'resolved':
        this.#deps.onResolved(event)
        return
      case 'created':
        return
    }
  }

  #takeBook(marketId: string, event: BookUpdate, receivedAtMs: number, socket: number): void {
    const route = this.#routes.get(marketId)
    if (route?.next?.socket === socket) {
      route.next.book.take(event, receivedAtMs)
      this.#switchIfReady(marketId, route)
    } else if (this.#isCurrent(marketId, socket)) this.markets.get(marketId)?.take(event, receivedAtMs)
  }

  #isCurrent(marketId: string, socket: number): boolean {
    const route = this.#routes.get(marketId)
    return route === undefined || route.current === socket
  }

  #switchIfReady(marketId: string, route: MarketRoute): void {
    const followed = this.markets.get(marketId)
    if (followed === undefined || route.next === undefined || !isReady(route.next.book, followed.book)) return
    const { book } = route.next
    followed.replaceBook(book)
    route.switchOver()
    this.#deps.onSwitched?.(marketId, book.proved?.eventAtMs ?? 0)
  }
}

/** A book may replace another when it is proved and not behind. */
function isReady(next: BinaryBook, current: BinaryBook): boolean {
  if (next.proved === undefined) return false
  return current.proved === undefined || next.proved.eventAtMs >= current.proved.eventAtMs
}
