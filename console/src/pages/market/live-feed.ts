import type { QueryClient } from '@tanstack/react-query'
import { endSession } from '../../data/session.ts'
import type { FeedEnd, FeedRequest, FeedWindow } from '../../data/stream/feed-messages.ts'
import type { LiveMarket } from '../../data/stream/live-market.ts'
import { openFeed } from '../../data/stream/open-feed.ts'
import { pollBook } from '../../data/stream/poll-book.ts'

const AGAIN_MS = 5_000
/** Ends of a stream after which another attempt may succeed. */
const PASSING: readonly string[] = ['network', 'timeout', 'store_unavailable', 'overloaded', 'rate_limited']

/** The stream of a page, or a request every few seconds where the tier has no streams. */
export class LiveFeed {
  readonly #request: FeedRequest
  readonly #live: LiveMarket
  #close: () => void = () => {}
  #isPolling = false
  /** What the page has reacted to. */
  #seen: string
  #seenEnd: FeedEnd | undefined

  constructor(request: FeedRequest, live: LiveMarket) {
    this.#request = request
    this.#live = live
    this.#seen = stepsOf(live)
  }

  open(): void {
    if (this.#isPolling) return this.#poll()
    this.#close()
    this.#live.end = undefined
    this.#live.connection = 'opening'
    this.#close = openFeed({ ...this.#request, window: this.#live.windows.at(-1) ?? this.#request.window }, this.#live)
  }

  close(): void {
    this.#close()
  }

  /** Without a stream the page itself tells which window of the series is open. */
  showWindow(window: FeedWindow): void {
    if (!this.#isPolling || window.market === this.#live.market) return
    this.#live.roll(window, Date.now())
    this.#poll()
  }

  /** Reacts to what changes the page around the views. */
  follow(client: QueryClient): void {
    const steps = stepsOf(this.#live)
    if (steps !== this.#seen) {
      this.#seen = steps
      void client.invalidateQueries({ queryKey: ['market'] })
    }
    const { end } = this.#live
    if (end === undefined || end === this.#seenEnd) return
    this.#seenEnd = end
    if (end.code === 'tier_not_allowed' && !this.#isPolling) this.#poll()
    if (end.code === 'market_closed') void client.invalidateQueries({ queryKey: ['market'] })
    if (end.code === 'unauthenticated') endSession(client)
    if (PASSING.includes(end.code)) this.#openSoon()
  }

  #poll(): void {
    this.#close()
    this.#isPolling = true
    this.#live.end = undefined
    this.#live.isPolled = true
    this.#close = pollBook(this.#request, this.#live)
  }

  /** After a failure that may pass. */
  #openSoon(): void {
    this.#close()
    const timer = setTimeout(() => this.open(), AGAIN_MS)
    this.#close = () => clearTimeout(timer)
  }
}

/** Changes with the next window, and with the end of a market. */
function stepsOf({ market, hasEnded }: LiveMarket): string {
  return `${market} ${hasEnded}`
}
