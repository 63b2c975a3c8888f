import type { BinaryBook, TradeEvent } from '../venues/venue.ts'
import { type OverlapCheckpoint, TradeOverlap } from './trade-overlap.ts'

/**
 * A change of the sockets that a market uses.
 * - `assigned`: this socket alone, from now on.
 * - `moving`: this socket too; it becomes the only one when its book is proved.
 * - `stayed`: the move is given up.
 * - `left`: the socket before the move delivers nothing more.
 */
export type RouteChange =
  | { kind: 'assigned' | 'moving'; marketId: string; socket: number }
  | { kind: 'stayed' | 'left'; marketId: string }

export interface RouteCheckpoint {
  readonly current: number
  readonly next?: { readonly socket: number; readonly book: unknown } | undefined
  readonly leaving?: number | undefined
  readonly overlap?: OverlapCheckpoint | undefined
}

/** From which sockets the frames of one market are taken. */
export class MarketRoute {
  #current: number
  #next: { socket: number; book: BinaryBook } | undefined
  #leaving: number | undefined
  #overlap: TradeOverlap | undefined

  constructor(socket: number) {
    this.#current = socket
  }

  checkpoint(): RouteCheckpoint {
    return {
      current: this.#current,
      next: this.#next && { socket: this.#next.socket, book: this.#next.book.checkpoint() },
      leaving: this.#leaving,
      overlap: this.#overlap?.checkpoint(),
    }
  }

  static restored({ current, next, leaving, overlap }: RouteCheckpoint, openBook: () => BinaryBook): MarketRoute {
    const route = new MarketRoute(current)
    route.#leaving = leaving
    if (overlap !== undefined) {
      route.#overlap = new TradeOverlap()
      route.#overlap.restore(overlap)
    }
    if (next !== undefined) {
      const book = openBook()
      book.restore(next.book)
      route.#next = { socket: next.socket, book }
    }
    return route
  }

  get current(): number {
    return this.#current
  }

  /** The socket that the market moves to, and the book that its frames have built so far. */
  get next(): { socket: number; book: BinaryBook } | undefined {
    return this.#next
  }

  assign(socket: number): void {
    this.#current = socket
    this.#next = undefined
    this.#leaving = undefined
    this.#overlap = undefined
  }

  beginMove(socket: number, book: BinaryBook): void {
    this.#next = { socket, book }
    this.#overlap ??= new TradeOverlap()
  }

  stay(): void {
    this.#next = undefined
    if (this.#leaving === undefined) this.#overlap = undefined
  }

  switchOver(): void {
    if (this.#next === undefined) return
    this.#leaving = this.#current
    this.#current = this.#next.socket
    this.#next = undefined
  }

  leave(): void {
    this.#leaving = undefined
    if (this.#next === undefined) this.#overlap = undefined
  }

  /** Whether the trade belongs to this market's sockets, and no other of them has delivered it. */
  takesTrade(socket: number, event: TradeEvent): boolean {
    if (socket !== this.#current && socket !== this.#next?.socket && socket !== this.#leaving) return false
    return this.#overlap?.isNew(socket, event) ?? true
  }
}
