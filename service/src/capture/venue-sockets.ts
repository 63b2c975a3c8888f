import type { Market } from '../domain/market.ts'
import { ConnectGate } from '../venues/connect-gate.ts'
import { runFeed } from '../venues/feed.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import { FrameRing } from '../venues/frame-ring.ts'
import { Subscriptions } from '../venues/subscriptions.ts'
import type { BinaryVenue, Doubt } from '../venues/venue.ts'
import { SocketPlan } from './socket-plan.ts'

export interface VenueSocketsOwner {
  /** Returns whether the frame held data. */
  frame(text: string, receivedAtMs: number): boolean
  /** A socket with these markets has been opened and will send their books. */
  opened(marketIds: readonly string[]): void
  lost(marketIds: readonly string[], doubt: Doubt, lastDataAtMs: number | undefined): void
}

interface OpenSocket {
  subscriptions: Subscriptions
  stop: AbortController
  ring: FrameRing
}

/** Opens as many sockets as the followed markets need; `runFeed` keeps each one open. */
export class VenueSockets {
  readonly #venue: BinaryVenue
  readonly #owner: VenueSocketsOwner
  readonly #nowMs: () => number
  readonly #dumps: FrameDumps | undefined
  readonly #plan: SocketPlan
  readonly #sockets = new Map<number, OpenSocket>()
  readonly #gate = new ConnectGate({ everyMs: 100, perMinute: 120 })
  readonly #running = new Set<Promise<void>>()
  readonly #failed = Promise.withResolvers<never>()

  /** The socket whose frame is being read now. */
  #reading: number | undefined

  constructor(venue: BinaryVenue, owner: VenueSocketsOwner, nowMs: () => number, dumps?: FrameDumps) {
    this.#venue = venue
    this.#owner = owner
    this.#nowMs = nowMs
    this.#dumps = dumps
    this.#plan = new SocketPlan(venue.socket.marketsPerSocket)
  }

  add(market: Market): void {
    const { socket, isNew } = this.#plan.add(market.id)
    if (isNew) this.#open(socket)
    this.#sockets.get(socket)?.subscriptions.add(market.tokenIds)
  }

  remove(market: Market): void {
    const left = this.#plan.remove(market.id)
    if (left === undefined) return
    const open = this.#sockets.get(left.socket)
    open?.subscriptions.remove(market.tokenIds)
    if (!left.isEmpty) return
    open?.stop.abort()
    this.#sockets.delete(left.socket)
  }

  /** Requests whole books over the socket, which keeps the order of events. */
  refresh(market: Market): void {
    const socket = this.#plan.socketOf(market.id)
    if (socket !== undefined) this.#sockets.get(socket)?.subscriptions.refresh(market.tokenIds)
  }

  restart(market: Market, detail: string): void {
    const socket = this.#plan.socketOf(market.id)
    if (socket !== undefined) this.#sockets.get(socket)?.subscriptions.restart(detail)
  }

  /** Writes the last minute of frames of the market's socket; without a market, of the socket being read. */
  dump(reason: string, market?: Market): void {
    const socket = market === undefined ? this.#reading : this.#plan.socketOf(market.id)
    const ring = socket === undefined ? undefined : this.#sockets.get(socket)?.ring
    if (ring !== undefined) this.#dumps?.dump(ring, { venue: this.#venue.id, socket: String(socket), reason })
  }

  /** Runs until the signal; rejects only because of a bug in this process. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    await Promise.race([signal.aborted ? undefined : ended, this.#failed.promise])
    for (const { stop } of this.#sockets.values()) stop.abort()
    await Promise.all(this.#running)
  }

  #open(socket: number): void {
    const subscriptions = new Subscriptions()
    const stop = new AbortController()
    const ring = new FrameRing()
    this.#sockets.set(socket, { subscriptions, stop, ring })
    let lastDataAtMs: number | undefined
    const running = runFeed(
      {
        rules: this.#venue.socket,
        subscriptions,
        subscribeFrames: (ids, isFirst) => this.#venue.subscribeFrames(ids, isFirst),
        unsubscribeFrames: (ids) => this.#venue.unsubscribeFrames(ids),
        owner: {
          opened: () => this.#owner.opened(this.#marketsOf(socket)),
          frame: (text, receivedAtMs) => {
            this.#reading = socket
            const isData = this.#owner.frame(text, receivedAtMs)
            this.#reading = undefined
            if (isData) lastDataAtMs = receivedAtMs
            return isData
          },
          lost: (cause, detail) => this.#owner.lost(this.#marketsOf(socket), { cause, detail }, lastDataAtMs),
        },
        gate: this.#gate,
        ring,
        nowMs: this.#nowMs,
      },
      stop.signal,
    ).catch((error: unknown) => this.#failed.reject(error))
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  #marketsOf(socket: number): string[] {
    return [...(this.#plan.sockets.get(socket) ?? [])]
  }
}
