import type { QueryClient } from '@tanstack/react-query'
import { userTierQuery } from '../../data/queries.ts'
import { endSession } from '../../data/session.ts'
import type { FeedEnd, FeedRequest, FeedWindow, PageOpening } from '../../data/stream/feed-messages.ts'
import type { LiveMarket } from '../../data/stream/live-market.ts'
import type { openFeed } from '../../data/stream/open-feed.ts'
import type { pollBook } from '../../data/stream/poll-book.ts'

const AGAIN_MS = 5_000
const MOST_WAIT_MS = 60_000
const CHECK_TIER_EVERY_MS = 20_000
/** Ends of a stream after which another attempt may succeed. */
const PASSING: readonly string[] = [
  'network',
  'timeout',
  'store_unavailable',
  'overloaded',
  'rate_limited',
  'internal',
  'unexpected_answer',
]

/** Where books come from. */
export interface FeedSources {
  readonly openFeed: typeof openFeed
  readonly pollBook: typeof pollBook
}

/** The stream of a page, or a request every few seconds where the tier has no streams. */
export class LiveFeed {
  readonly #request: FeedRequest
  readonly #live: LiveMarket
  readonly #client: QueryClient
  readonly #sources: FeedSources
  #close: () => void = () => {}
  #opened: PageOpening = { ms: Date.now() }
  /** Of the next attempt after a failure. */
  #waitMs = AGAIN_MS
  #bookOfLastAttempt: LiveMarket['book']
  /** What the page has reacted to. */
  #seen: string
  #seenEnd: FeedEnd | undefined

  constructor(request: FeedRequest, live: LiveMarket, client: QueryClient, sources: FeedSources) {
    this.#request = request
    this.#live = live
    this.#client = client
    this.#sources = sources
    this.#seen = stepsOf(live)
  }

  /** A person opens it: it takes the stream of a page that was opened before. */
  open(): void {
    this.#opened = { ms: Date.now() }
    this.#openAgain()
  }

  close(): void {
    this.#close()
    this.#close = () => {}
  }

  /** Without a stream the page itself tells which window of the series is open. */
  showWindow(window: FeedWindow): void {
    if (!this.#live.isPolled || window.market === this.#live.market) return
    this.#live.roll(window, Date.now())
    this.#poll()
  }

  /** Reacts to what changes the page around the views. */
  follow(): void {
    const client = this.#client
    const steps = stepsOf(this.#live)
    if (steps !== this.#seen) {
      this.#seen = steps
      void client.invalidateQueries({ queryKey: ['market'] })
    }
    const { end } = this.#live
    if (end === undefined || end === this.#seenEnd) return
    this.#seenEnd = end
    if (end.code === 'tier_not_allowed' && !this.#live.isPolled) this.#poll()
    if (end.code === 'market_closed') void client.invalidateQueries({ queryKey: ['market'] })
    if (end.code === 'unauthenticated') endSession(client)
    if (PASSING.includes(end.code) || awaitsNextWindow(this.#live)) this.#openSoon()
  }

  #openAgain(): void {
    if (this.#live.isPolled) this.#poll()
    else this.#connect()
  }

  #connect(): void {
    this.#close()
    const live = this.#live
    live.end = undefined
    live.connection = 'opening'
    const request = { ...this.#request, window: live.windows.at(-1) ?? this.#request.window }
    this.#close = this.#sources.openFeed(
      { request, opened: this.#opened },
      {
        onTicket: (openedAt) => {
          this.#opened = { ...this.#opened, at: openedAt }
        },
        onUpdate: (update) => live.apply(update, Date.now()),
        onEnd: (end) => live.ended(end, Date.now()),
      },
    )
  }

  #poll(): void {
    this.#close()
    this.#live.end = undefined
    this.#live.isPolled = true
    const stop = this.#sources.pollBook(this.#request, this.#live)
    // What failed is asked again the next time.
    const timer = setInterval(() => void this.#checkTier(close).catch(() => {}), CHECK_TIER_EVERY_MS)
    const close = (): void => {
      stop()
      clearInterval(timer)
    }
    this.#close = close
  }

  /** Somebody who gets a tier with streams sees every slot without a reload. */
  async #checkTier(closePolling: () => void): Promise<void> {
    const { end } = this.#live
    if (document.visibilityState === 'hidden' || (end !== undefined && end.code !== 'tier_not_allowed')) return
    const { wsConnectionsMax } = await this.#client.fetchQuery({ ...userTierQuery, staleTime: 0 })
    if (wsConnectionsMax === 0 || closePolling !== this.#close) return
    this.#live.isPolled = false
    this.#connect()
  }

  /** After a failure that may pass; later and later while no book comes. */
  #openSoon(): void {
    this.#close()
    const { book } = this.#live
    this.#waitMs = book === this.#bookOfLastAttempt ? Math.min(MOST_WAIT_MS, this.#waitMs * 2) : AGAIN_MS
    this.#bookOfLastAttempt = book
    const timer = setTimeout(() => this.#openAgain(), this.#waitMs)
    this.#close = () => clearTimeout(timer)
  }
}

/** Without a stream the page asks which window is open now until the next one is. */
export function awaitsNextWindow({ end, isPolled }: LiveMarket): boolean {
  return isPolled && end?.code === 'market_closed'
}

/** Changes with the next window, and with the end of a market. */
function stepsOf({ market, hasEnded }: LiveMarket): string {
  return `${market} ${hasEnded}`
}
