import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { COINS } from '../domain/market.ts'
import { PERP_INTERVAL_MS } from '../domain/plan.ts'
import { type RawSink, recordSocket } from '../domain/raw-record.ts'
import { perpMarketId } from '../domain/rows/perp-snapshot.ts'
import { ConnectGate } from '../venues/connect-gate.ts'
import { runFeed } from '../venues/feed.ts'
import type { FrameOutcome } from '../venues/feed-options.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import { FrameRing } from '../venues/frame-ring.ts'
import type { PerpBook } from '../venues/perp-book.ts'
import type { PerpStream } from '../venues/perp-events.ts'
import type { PerpVenue } from '../venues/perp-venue.ts'
import { Subscriptions } from '../venues/subscriptions.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { Absence } from './gap-ledger.ts'
import { PerpTape } from './perp-tape.ts'
import { ProblemLog } from './problem-log.ts'
import type { SampledMarket } from './sampled-market.ts'

/** Seven coins at this rate use less than half of the venue's request limit. */
const REST_EVERY_MS = 1_500
const STREAMS: readonly PerpStream[] = ['deep', 'quick']
const NOT_FRESH: Absence = { cause: 'venue_silent', detail: 'no fresh whole book' }

export interface FollowPerpsDeps {
  venue: PerpVenue
  nowMs: () => number
  log: Logger
  metrics: CaptureMetrics
  frameDumps?: FrameDumps | undefined
  raw?: RawSink | undefined
}

/** Perps of one venue: whole books over a socket and REST; the touch (best bid and ask), trades and contexts over a second socket. */
export class FollowPerps {
  readonly markets: readonly SampledMarket[]
  readonly tape: PerpTape
  readonly #deps: FollowPerpsDeps
  readonly #books: ReadonlyMap<string, PerpBook>
  readonly #problems: ProblemLog
  #wanted = Promise.withResolvers<void>()
  #stop = new AbortController()
  #isFollowing = false

  constructor(deps: FollowPerpsDeps) {
    this.#deps = deps
    this.#problems = new ProblemLog(deps.log)
    this.#books = new Map(COINS.map((coin) => [coin, deps.venue.openBook(coin)]))
    this.tape = new PerpTape(deps.venue.id, COINS, deps.nowMs)
    this.markets = [...this.#books.values()].map((book) => sampledPerp(deps.venue.id, book, this.tape))
  }

  /** Whether this process records the perps, or stands by for it. */
  set isWanted(isWanted: boolean) {
    if (isWanted) this.#wanted.resolve()
    else if (this.#isFollowing) {
      this.#wanted = Promise.withResolvers()
      this.#stop.abort()
      this.tape.pause()
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal.aborted) {
      await Promise.race([this.#wanted.promise, ended])
      this.#stop = new AbortController()
      this.#isFollowing = true
      await this.#follow(AbortSignal.any([signal, this.#stop.signal]))
      this.#isFollowing = false
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    await this.#untilListed(signal)
    const gate = new ConnectGate({ everyMs: 250, perMinute: 20 })
    await Promise.all([...STREAMS.map((stream) => this.#listen(stream, gate, signal)), this.#poll(signal)])
  }

  /** One unknown coin ends the whole socket, so nothing is subscribed before the coins are listed. */
  async #untilListed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#deps.venue.listCoins(signal)
        return
      } catch (error) {
        const { venue } = this.#deps
        if (!signal.aborted) this.#problems.warn('listing coins failed', venue.id, { err: error, venue: venue.id })
      }
      await sleep(REST_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #listen(stream: PerpStream, gate: ConnectGate, signal: AbortSignal): Promise<void> {
    const { venue, nowMs, metrics } = this.#deps
    const ring = new FrameRing()
    await runFeed(
      {
        rules: venue.socket,
        subscriptions: new Subscriptions(this.#books.keys()),
        subscribeFrames: (coins) => venue.subscribeFrames(stream, coins),
        unsubscribeFrames: (coins) => venue.unsubscribeFrames(stream, coins),
        owner: {
          opened: () => {},
          frame: (text, receivedAtMs) => this.#take(text, stream, receivedAtMs, ring),
          lost: (cause, detail) => {
            metrics.lost.inc({ cause })
            if (stream === 'quick') this.tape.lost({ cause, detail })
            this.#problems.warn('socket lost', `${stream} ${cause}`, { venue: venue.id, stream, cause, detail })
          },
        },
        gate,
        ring,
        nowMs,
        record: recordSocket(this.#deps.raw, venue.id, stream),
      },
      signal,
    )
  }

  #take(text: string, stream: PerpStream, receivedAtMs: number, ring: FrameRing): FrameOutcome {
    const { venue, metrics, frameDumps } = this.#deps
    const { events, problems } = venue.decode(text, stream)
    metrics.frames.inc({ venue: venue.id })
    for (const event of events) {
      this.#books.get(event.coin)?.take(event, Math.round(receivedAtMs))
      this.tape.take(event, Math.round(receivedAtMs))
    }
    for (const { kind, reason } of problems) {
      if (kind === 'undecodable' && stream === 'quick') this.tape.lost({ cause: kind, detail: reason })
      metrics.problems.inc({ venue: venue.id, kind })
      this.#problems.warn('frame not understood', reason, { venue: venue.id, stream, kind, reason })
      frameDumps?.dump(ring, { venue: venue.id, socket: stream, reason: kind })
    }
    return events.length > 0 ? 'data' : 'no_data'
  }

  /** The socket sends whole books five seconds apart; REST fetches them in between. */
  async #poll(signal: AbortSignal): Promise<void> {
    const { venue, nowMs } = this.#deps
    while (!signal.aborted) {
      const fetched = await Promise.allSettled([...this.#books.keys()].map((coin) => venue.fetchBook(coin, signal)))
      for (const outcome of fetched) {
        if (outcome.status === 'rejected') {
          const fields = { err: outcome.reason, venue: venue.id }
          if (!signal.aborted) this.#problems.warn('fetching book failed', venue.id, fields)
        } else if (outcome.value !== undefined) {
          this.#books.get(outcome.value.coin)?.take(outcome.value, Math.round(nowMs()))
        }
      }
      await sleep(REST_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/** Whole books come one by one: there is no change that could be missing. */
export function sampledPerp(venue: string, book: PerpBook, tape: PerpTape): SampledMarket {
  return {
    id: perpMarketId(venue, book.symbol),
    intervalMs: PERP_INTERVAL_MS,
    settle: () => [],
    takeLosses: () => tape.takeLosses(book.symbol),
    sample(slot, capturedAtMs) {
      const perpSnapshot = book.sample(slot, PERP_INTERVAL_MS, capturedAtMs)
      return perpSnapshot === undefined ? { absence: NOT_FRESH } : { perpSnapshot }
    },
  }
}
