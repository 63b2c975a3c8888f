import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Doubt } from '../domain/doubt.ts'
import type { BinaryVenue, BookEvent } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { FollowedMarket } from './followed-market.ts'
import type { Recording } from './recording.ts'
import { Resync } from './resync.ts'
import { StaleBookCheck } from './stale-book-check.ts'
import type { VenueSockets } from './venue-sockets.ts'

export interface BookWatchDeps {
  venue: BinaryVenue
  recording: Pick<Recording, 'markets' | 'apply'>
  sockets: VenueSockets
  nowMs: () => number
  log: Logger
  metrics: CaptureMetrics
}

/** A book that fails its proof is compared within a second, so it is looked for more often. */
const WATCH_EVERY_MS = 250
const CHECKS_AT_ONCE = 250
const COMPARED_EVERY_MS = 1_000
/** After this many remedies without a book, the market moves to another socket. */
const TRIES_BEFORE_MOVE = 3
const DEAD_SUBSCRIPTION: Doubt = {
  cause: 'venue_silent',
  detail: 'REST has a newer book that the socket did not deliver',
}

/** Looks after the books of all followed markets: compares those that may be wrong with REST, and requests new ones. */
export class BookWatch {
  readonly #deps: BookWatchDeps
  readonly #resync = new Resync()
  readonly #staleBookCheck = new StaleBookCheck()
  readonly #comparedAtMs = new Map<string, number>()

  constructor(deps: BookWatchDeps) {
    this.#deps = deps
  }

  /** A socket with these markets was opened and will send their books. */
  opened(marketIds: readonly string[]): void {
    for (const id of marketIds) this.#resync.restart(id, this.#deps.nowMs())
  }

  forget(marketId: string): void {
    this.#resync.forget(marketId)
    this.#staleBookCheck.forget(marketId)
    this.#comparedAtMs.delete(marketId)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { venue, log } = this.#deps
    while (!signal.aborted) {
      try {
        await this.#compareFailing([...this.#failing(), ...this.#remedyDoubts()], signal)
        await this.#checkStaleBooks(signal)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, venue: venue.id }, 'fetching books failed')
      }
      await sleep(WATCH_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Markets whose proof fails although nothing else shows a loss. */
  #failing(): FollowedMarket[] {
    const { recording, nowMs } = this.#deps
    const atMs = nowMs()
    return [...recording.markets.values()].filter(
      ({ book, market }) =>
        book.isToBeCompared(atMs) && atMs - (this.#comparedAtMs.get(market.id) ?? 0) >= COMPARED_EVERY_MS,
    )
  }

  /**
   * The remedies for a market without a trusted book, one after the other: a REST book, a new book over the
   * socket, another socket.
   * Returns the markets whose REST books are needed.
   */
  #remedyDoubts(): FollowedMarket[] {
    const { venue, recording, sockets, nowMs, metrics } = this.#deps
    const byRest: FollowedMarket[] = []
    for (const { followed, attempt } of this.#resync.due(recording.markets.values(), nowMs())) {
      // A lost socket sends whole books by itself when it is open again.
      if (sockets.connectionOf(followed.market) === undefined) continue
      metrics.resyncs.inc()
      const hasMoved = attempt >= TRIES_BEFORE_MOVE && sockets.move(followed.market, 'no_book')
      if (hasMoved) continue
      if (venue.isRestBookJoinable && attempt % 2 === 0) byRest.push(followed)
      else sockets.refresh(followed.market)
    }
    return byRest
  }

  async #compareFailing(markets: readonly FollowedMarket[], signal: AbortSignal): Promise<void> {
    const { venue, recording, sockets, nowMs, metrics } = this.#deps
    metrics.comparisons.inc(markets.length)
    for (let from = 0; from < markets.length; from += CHECKS_AT_ONCE / 2) {
      const requested = markets.slice(from, from + CHECKS_AT_ONCE / 2)
      const connections = requested.map(({ market }) => sockets.connectionOf(market))
      for (const { market } of requested) this.#comparedAtMs.set(market.id, nowMs())
      const tokenIds = requested.flatMap(({ market }) => market.tokenIds)
      const books = Map.groupBy(await venue.fetchBooks(tokenIds, signal), ({ marketId }) => marketId)
      for (const [index, { market }] of requested.entries()) {
        const connection = connections[index]
        // After a reconnect nobody knows which changes came between the REST book and the new socket.
        if (connection === undefined || sockets.connectionOf(market) !== connection) continue
        recording.apply({ kind: 'compared', atMs: nowMs(), marketId: market.id, books: books.get(market.id) ?? [] })
      }
    }
  }

  async #checkStaleBooks(signal: AbortSignal): Promise<void> {
    const { venue, recording, sockets, nowMs } = this.#deps
    const due = this.#staleBookCheck.due(recording.markets.values(), nowMs(), CHECKS_AT_ONCE)
    if (due.length === 0) return
    const requestedAtMs = nowMs()
    const books: BookEvent[] = await venue.fetchBooks(
      due.map(({ market }) => market.tokenIds[0]),
      signal,
    )
    for (const book of books) {
      const followed = recording.markets.get(book.marketId)
      if (followed === undefined) continue
      const [atMs, { id }] = [nowMs(), followed.market]
      const verdict = this.#staleBookCheck.compare(followed, book, { requestedAtMs, nowMs: atMs })
      if (verdict === 'confirmed') recording.apply({ kind: 'confirmed', atMs, marketId: id })
      if (verdict !== 'dead') continue
      recording.apply({ kind: 'lost', atMs, marketIds: [id], doubt: DEAD_SUBSCRIPTION })
      sockets.noteStale(followed.market)
    }
  }
}
