import type { Logger } from 'pino'
import type { Doubt } from '../domain/doubt.ts'
import type { Market } from '../domain/market.ts'
import { type RawSink, recordSocket } from '../domain/raw-record.ts'
import { ConnectGate } from '../venues/connect-gate.ts'
import type { FrameOutcome } from '../venues/feed-options.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import type { BinaryVenue, CloseMeaning, SocketProtocol } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { MarketFrame } from './follower.ts'
import { MarketPlaces, type MoveReason } from './market-places.ts'
import type { RouteChange } from './market-route.ts'
import { OpenSocket } from './open-socket.ts'
import { ProblemLog } from './problem-log.ts'
import { ResolvedCloses } from './resolved-closes.ts'
import { findFaults } from './socket-health.ts'
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts'
import type { SocketPlan } from './socket-plan.ts'

export interface VenueSocketsOwner {
  /** A frame has come and is not kept yet. */
  beforeFrame?(): void
  frame(text: string, receivedAtMs: number, socket: number): FrameOutcome
  /** What is said on this socket since it was opened. */
  protocolOf(socket: number): SocketProtocol
  /** A socket with these markets has been opened and will send their books. */
  opened(marketIds: readonly string[], socket: number): void
  lost(marketIds: readonly string[], doubt: Doubt, lastDataAtMs: number | undefined, socket: number): void
  /** The socket will not be opened again. */
  closed(socket: number): void
  /** The venue says that these markets are resolved; it does not always say how. */
  allResolved(marketIds: readonly string[]): void
  routed(change: RouteChange): void
  /** Once a second: the books of markets that move may be ready without a further frame. */
  settleMoves(nowMs: number): void
}

export interface VenueSocketsDeps {
  venue: BinaryVenue
  owner: VenueSocketsOwner
  nowMs: () => number
  log: Logger
  metrics: CaptureMetrics
  frameDumps?: FrameDumps | undefined
  /** Keeps frames and routes: the input from which the same books can be built again. */
  raw?: RawSink | undefined
  limits?: Partial<SocketLimits> | undefined
}

const STEP_EVERY_MS = 1_000
const MOST_REPLACED_AT_ONCE = 3
/** So many stale books on one socket are a fault of the socket, not of the markets. */
const STALE_MARKETS = 3
const STALE_WITHIN_MS = 60_000

/** Opens the sockets that the followed markets need, and replaces those that deliver badly. */
export class VenueSockets {
  readonly #deps: VenueSocketsDeps
  readonly #limits: SocketLimits
  readonly #places: MarketPlaces
  readonly #plan: SocketPlan
  readonly #sockets = new Map<number, OpenSocket>()
  readonly #gate = new ConnectGate({ everyMs: 100, perMinute: 120 })
  readonly #running = new Set<Promise<void>>()
  readonly #failed = Promise.withResolvers<never>()
  readonly #resolved: ResolvedCloses
  /** Stale markets of each socket, and when they were found. */
  readonly #stale = new Map<number, Map<string, number>>()

  readonly #problems: ProblemLog
  /** The socket whose frame is being read now. */
  #reading: number | undefined

  constructor(deps: VenueSocketsDeps) {
    this.#deps = deps
    this.#problems = new ProblemLog(deps.log)
    this.#limits = { ...SOCKET_LIMITS, ...deps.limits }
    this.#resolved = new ResolvedCloses(this.#limits.resolvedWithinMs)
    this.#places = new MarketPlaces({
      ...deps,
      limits: this.#limits,
      socket: (id) => this.#sockets.get(id) ?? this.#open(id),
      openSocket: (id) => this.#sockets.get(id),
      routed: (change) => this.#route(change),
      lost: (...args) => deps.owner.lost(...args),
    })
    this.#plan = this.#places.plan
  }

  add(market: Market): void {
    this.#places.add(market)
  }

  has({ id }: Market): boolean {
    return this.#places.markets.has(id)
  }

  remove(market: Market): void {
    this.#places.remove(market)
    this.#resolved.forget(market.id)
    this.#closeEmpty()
  }

  /** Identifies the open connection that delivers this market; undefined while there is none. */
  connectionOf({ id }: Market): string | undefined {
    const socket = this.#plan.places.get(id)?.current
    const open = socket === undefined ? undefined : this.#sockets.get(socket)
    return open?.isOpen === true ? `${open.id} ${open.openings}` : undefined
  }

  /** Requests whole books over the socket, which keeps the order of events. */
  refresh({ id, tokenIds }: Market): void {
    const socket = this.#plan.places.get(id)?.current
    if (socket !== undefined) this.#sockets.get(socket)?.subscriptions.refresh(tokenIds)
  }

  /** Moves one market to another socket; its neighbours do not notice. Returns whether the move has begun. */
  move(market: Market, reason: MoveReason): boolean {
    return !this.#resolved.isWaiting(market.id) && this.#places.move(market, reason)
  }

  /** REST has a newer book of this market. Several at once on one socket: the socket is dead, although it answers. */
  noteStale(market: Market): void {
    const socket = this.#plan.places.get(market.id)?.current
    if (socket === undefined) return
    const nowMs = this.#deps.nowMs()
    const stale = this.#stale.get(socket) ?? new Map<string, number>()
    this.#stale.set(socket, stale.set(market.id, nowMs))
    for (const [id, atMs] of stale) if (nowMs - atMs > STALE_WITHIN_MS) stale.delete(id)
    if (stale.size >= STALE_MARKETS) this.#replace(socket, 'stale')
  }

  /** Measures what a market sends, and how late its socket delivers. */
  noteFrame({ marketId, socket, frames, bytes, changedAtMs, receivedAtMs }: MarketFrame): void {
    const open = this.#sockets.get(socket)
    if (open === undefined) return
    open.marketDataAtMs = receivedAtMs
    if (this.#plan.places.get(marketId)?.current === socket) this.#places.traffic.note(marketId, frames, bytes)
    if (changedAtMs === undefined) return
    open.newestChangeAtMs = Math.max(open.newestChangeAtMs, changedAtMs)
    const medianMs = open.lag.note(receivedAtMs - changedAtMs, receivedAtMs)
    if (medianMs === undefined) return
    this.#deps.metrics.socketLagSeconds.observe({ class: this.#classOf(socket) }, Math.max(0, medianMs) / 1_000)
  }

  /** The market's book comes from its next socket now. `changedAtMs`: venue time of that book. */
  switched(marketId: string, changedAtMs: number): void {
    this.#places.switched(marketId, changedAtMs)
  }

  /** Writes the last minute of frames of the market's socket; without a market, of the socket being read. */
  dump(reason: string, market?: Market): void {
    const socket = market === undefined ? this.#reading : this.#plan.places.get(market.id)?.current
    const ring = socket === undefined ? undefined : this.#sockets.get(socket)?.ring
    const { venue, frameDumps } = this.#deps
    if (ring !== undefined) frameDumps?.dump(ring, { venue: venue.id, socket: String(socket), reason })
  }

  /** Runs until the signal; rejects only because of a bug in this process. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    const timer = setInterval(() => this.#guardedStep(), STEP_EVERY_MS)
    try {
      await Promise.race([signal.aborted ? undefined : ended, this.#failed.promise])
    } finally {
      clearInterval(timer)
      for (const socket of this.#sockets.values()) socket.stop()
    }
    await Promise.all(this.#running)
  }

  #guardedStep(): void {
    try {
      this.#step(this.#deps.nowMs())
    } catch (error) {
      this.#failed.reject(error)
    }
  }

  #step(nowMs: number): void {
    this.#deps.owner.settleMoves(nowMs)
    this.#places.step(nowMs)
    this.#subscribeUnresolved(nowMs)
    this.#replaceBad(nowMs)
    if (this.#places.traffic.endPeriod(nowMs)) this.#spreadTraffic(nowMs)
    this.#separateBusy()
    this.#closeEmpty()
    this.#setGauges()
  }

  #classOf(socket: number): 'exclusive' | 'shared' {
    return this.#plan.isExclusive(socket) ? 'exclusive' : 'shared'
  }

  #open(id: number): OpenSocket {
    const { venue, owner, nowMs, metrics, raw } = this.#deps
    const socket = new OpenSocket(id)
    this.#sockets.set(id, socket)
    const running = socket
      .run(
        {
          rules: venue.socket,
          protocol: () => owner.protocolOf(id),
          gate: this.#gate,
          nowMs,
          record: recordSocket(raw, venue.id, String(id)),
        },
        {
          opened: () => owner.opened(this.#plan.currentOn(id), id),
          beforeFrame: () => owner.beforeFrame?.(),
          frame: (text, receivedAtMs) => {
            metrics.socketBytes.inc({ venue: venue.id }, text.length)
            this.#reading = id
            const outcome = owner.frame(text, receivedAtMs, id)
            this.#reading = undefined
            return outcome
          },
          lost: (cause, detail, closing) =>
            this.#lost(socket, { cause, detail }, closing === undefined ? 'lost' : venue.socket.meaningOf(closing)),
          refused: (detail) => {
            metrics.socketsRefused.inc({ venue: venue.id })
            this.#problems.warn('socket refused', detail, { venue: venue.id, detail })
          },
          noticed: (notice) => metrics.socketNotices.inc({ venue: venue.id, notice }),
        },
      )
      .catch((error: unknown) => this.#failed.reject(error))
    this.#running.add(running)
    void running.finally(() => {
      this.#running.delete(running)
      owner.closed(id)
    })
    return socket
  }

  #route(change: RouteChange): void {
    this.#deps.owner.routed(change)
  }

  #replaceBad(nowMs: number): void {
    const hasOpenMarket = (socket: number): boolean =>
      this.#places.known(this.#plan.currentOn(socket)).some(({ endsAtMs }) => endsAtMs > nowMs)
    const sockets = [...this.#sockets.values()].filter(({ id }) => !this.#plan.isClosing(id))
    for (const { id, reason } of findFaults(sockets, this.#limits, nowMs))
      if (reason === 'lag' || hasOpenMarket(id)) this.#replace(id, reason)
    // Markets that could not leave a closing socket before.
    for (const id of this.#plan.closing)
      for (const market of this.#places.known(this.#plan.currentOn(id))) this.move(market, 'lag')
  }

  /** Opens the new sockets first; each market leaves the old one when its new book is proved. */
  #replace(socket: number, reason: 'lag' | 'silent' | 'stale'): void {
    if (this.#plan.isClosing(socket) || this.#plan.closing.length >= MOST_REPLACED_AT_ONCE) return
    const { log, metrics, venue } = this.#deps
    this.#stale.delete(socket)
    metrics.socketsReplaced.inc({ reason })
    log.warn({ venue: venue.id, socket, reason, markets: this.#plan.currentOn(socket).length }, 'socket replaced')
    this.#plan.beginClosing(socket)
    const arriving = this.#plan.marketsOn(socket).filter((id) => this.#plan.places.get(id)?.next === socket)
    for (const market of this.#places.known(arriving)) this.#places.stay(market)
    const free = this.#plan
      .currentOn(socket)
      .filter((id) => !this.#places.isMoving(id) && !this.#resolved.isWaiting(id))
    const isHeavy = this.#plan.loadOf(socket).framesPerS > venue.socket.budget.framesPerS / 2
    for (const group of isHeavy ? this.#plan.halvesOf(free) : [free]) {
      if (group.length === 0) continue
      const target = this.#plan.open(this.#plan.isExclusive(socket))
      for (const market of this.#places.known(group)) this.#places.beginMove(market, target, reason)
    }
  }

  #spreadTraffic(nowMs: number): void {
    for (const open of this.#sockets.values()) {
      open.notePeriod(this.#plan.loadOf(open.id).framesPerS, nowMs)
      if (this.#plan.isClosing(open.id)) continue
      for (const market of this.#places.known(this.#plan.tooMuchOn(open.id))) this.move(market, 'busy')
    }
  }

  /** A window that will soon open gets its own socket before it is busy. */
  #separateBusy(): void {
    for (const market of this.#places.markets.values()) {
      const place = this.#plan.places.get(market.id)
      if (place === undefined || this.#plan.isExclusive(place.current)) continue
      if (this.#places.expected(market).isExclusive) this.move(market, 'own_socket')
    }
  }

  #lost({ id: socket, lastDataAtMs }: OpenSocket, doubt: Doubt, meaning: CloseMeaning): void {
    const { owner } = this.#deps
    for (const marketId of this.#plan.marketsOn(socket)) {
      const place = this.#plan.places.get(marketId)
      if (place?.leaving === socket) this.#places.leave(marketId)
      // The book that was being built has lost frames.
      if (place?.next === socket) this.#route({ kind: 'moving', marketId, socket })
    }
    const current = this.#plan.currentOn(socket)
    if (meaning === 'all_resolved') return this.#waitForResolutions(socket, current)
    owner.lost(current, doubt, lastDataAtMs, socket)
    for (const market of this.#places.known(current)) {
      const next = this.#plan.places.get(market.id)?.next
      if (next !== undefined) this.#places.assign(market, next)
      else if (this.#plan.isClosing(socket)) this.#assignElsewhere(market, socket)
    }
    if (meaning === 'overloaded') this.#split(socket)
    this.#closeEmpty()
  }

  #assignElsewhere(market: Market, socket: number): void {
    this.#places.assign(market, this.#plan.choose(this.#places.expected(market), new Set([socket])))
  }

  /** The venue closed the socket because it could not deliver in time; half of the markets go to a new one. */
  #split(socket: number): void {
    const [, leaving] = this.#plan.halvesOf(this.#plan.currentOn(socket))
    this.#deps.metrics.socketsReplaced.inc({ reason: 'overloaded' })
    if (leaving.length === 0) return
    const target = this.#plan.open(false)
    for (const market of this.#places.known(leaving)) this.#places.assign(market, target)
  }

  /** Resolved tokens are not subscribed again: their markets are removed soon, by their resolutions. */
  #waitForResolutions(socket: number, marketIds: readonly string[]): void {
    for (const market of this.#places.known(marketIds)) {
      this.#resolved.note(market.id, this.#deps.nowMs())
      this.#places.stay(market)
      this.#sockets.get(socket)?.subscriptions.remove(market.tokenIds)
    }
    this.#deps.owner.allResolved(marketIds)
  }

  #subscribeUnresolved(nowMs: number): void {
    for (const { marketId, closedAtMs } of this.#resolved.take(nowMs)) {
      const market = this.#places.markets.get(marketId)
      const socket = this.#plan.places.get(marketId)?.current
      if (market === undefined || socket === undefined) continue
      const detail = 'the venue closed the socket as resolved, but this market is not'
      this.#deps.owner.lost([marketId], { cause: 'disconnected', detail }, closedAtMs, socket)
      this.#assignElsewhere(market, socket)
    }
  }

  #closeEmpty(): void {
    for (const id of this.#plan.takeEmpty()) {
      this.#sockets.get(id)?.stop()
      this.#sockets.delete(id)
      this.#stale.delete(id)
    }
  }

  #setGauges(): void {
    const counts = { exclusive: 0, shared: 0 }
    for (const { id, isOpen } of this.#sockets.values()) if (isOpen) counts[this.#classOf(id)]++
    const { socketsOpen } = this.#deps.metrics
    socketsOpen.set({ class: 'exclusive' }, counts.exclusive)
    socketsOpen.set({ class: 'shared' }, counts.shared)
  }
}
