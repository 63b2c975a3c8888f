import { type Caller, subscriptionsOf } from '../../access/caller.ts'
import type { MarketStream, Outlet } from '../channels/market-stream.ts'
import { channelKind } from '../protocol/channels.ts'
import type { Channel, Selector, StreamOptions } from '../protocol/protocol.ts'
import type { CurrentMarkets } from './current-markets.ts'
import type { Hub } from './hub.ts'
import { meaningOf, type Refusal } from './resolve-selectors.ts'
import type { StreamMarket } from './stream-market.ts'

export interface SubscriptionDeps {
  readonly hub: Hub
  readonly caller: Caller
  readonly outlet: Outlet
  readonly nowMs: () => number
}

/** One selector on one channel, and its streams. */
interface Follow {
  /** As the client sent it. */
  readonly selector: Selector
  readonly meaning: Selector
  readonly key: string
  readonly channel: Channel
  readonly options: StreamOptions
  readonly streams: Map<string, MarketStream>
  /** The markets of the selector at the last update. */
  current?: readonly StreamMarket[]
}

/** The last rows of a window arrive shortly after its end. */
const KEPT_AFTER_END_MS = 5_000

/** The subscriptions of one connection, with at most one stream per market and channel. */
export class Subscriptions {
  readonly #deps: SubscriptionDeps
  /** By channel and selector. */
  readonly #follows = new Map<string, Follow>()
  readonly #taken = new Map<string, MarketStream>()

  constructor(deps: SubscriptionDeps) {
    this.#deps = deps
  }

  get used(): number {
    return this.#taken.size
  }

  get most(): number {
    return subscriptionsOf(this.#deps.caller)
  }

  get streams(): Iterable<MarketStream> {
    return this.#taken.values()
  }

  has(stream: MarketStream): boolean {
    return this.#taken.get(keyOf(stream.channel, stream.market.id)) === stream
  }

  /** Returns the new streams, which are not started yet, or the reason for a refusal. */
  take(
    selector: Selector,
    channel: Channel,
    options: StreamOptions,
    markets: readonly StreamMarket[],
  ): readonly MarketStream[] | Refusal {
    const key = JSON.stringify(selector)
    const already = {
      reason: 'already_subscribed',
      message: 'This connection is already subscribed to this channel of this market.',
    }
    if (this.#follows.has(keyOf(channel, key))) return already
    // Selectors without a current market count too: a client could send any number of them.
    if (markets.length > this.most || this.#follows.size >= this.most) return this.#limitReached()
    const free = markets.filter(({ id }) => !this.#taken.has(keyOf(channel, id)))
    if (markets.length > 0 && free.length === 0) return already
    if (this.used + free.length > this.most) return this.#limitReached()
    const follow: Follow = { selector, meaning: meaningOf(selector), key, channel, options, streams: new Map() }
    this.#follows.set(keyOf(channel, key), follow)
    return free.map((market) => this.#addStream(follow, market))
  }

  /** Ends the subscriptions of these selectors and channels; undefined means all. */
  leave(selectors: readonly Selector[] | undefined, channels: readonly Channel[] | undefined): Follow[] {
    const keys = selectors && new Set(selectors.map((selector) => JSON.stringify(selector)))
    const left = [...this.#follows.values()].filter(
      ({ key, channel }) => keys?.has(key) !== false && channels?.includes(channel) !== false,
    )
    for (const follow of left) {
      this.#follows.delete(keyOf(follow.channel, follow.key))
      for (const marketId of follow.streams.keys()) this.#removeStream(follow, marketId)
    }
    return left
  }

  /** Updates windows and categories: adds new markets and removes ended ones. */
  updateMarkets(currently: CurrentMarkets): void {
    const nowMs = this.#deps.nowMs()
    const rolled = new Set<string>()
    for (const follow of this.#follows.values()) {
      const { meaning } = follow
      if (!('coin' in meaning) && !('category' in meaning)) continue
      if ('coin' in meaning && follow.channel !== 'market') this.#leaveEnded(follow, nowMs)
      const current = currently.of(meaning, follow.key)
      if (current === follow.current) continue
      follow.current = current
      for (const market of current) {
        if (follow.streams.has(market.id) || this.#taken.has(keyOf(follow.channel, market.id))) continue
        if (this.used >= this.most && this.#running(nowMs) >= this.most) {
          delete follow.current
          continue
        }
        this.#announce(follow, market, rolled, nowMs)
        this.#deps.hub.add(this.#addStream(follow, market))
      }
    }
  }

  /** Removes a resolved market. */
  ended(marketId: string): void {
    for (const follow of this.#follows.values()) {
      if ('coin' in follow.meaning || 'category' in follow.meaning) this.#removeStream(follow, marketId)
    }
  }

  /** Streams of windows that have ended wait for their last rows, beside those of the next windows. */
  #running(nowMs: number): number {
    return [...this.streams].filter(({ market }) => (market.listed?.endsAtMs ?? Infinity) > nowMs).length
  }

  #limitReached(): Refusal {
    return {
      reason: 'limit_reached',
      message: `${this.#deps.caller.isConsole ? 'The console' : 'Your tier'} allows ${this.most} subscriptions (markets × channels) per connection. Unsubscribe from some first.`,
    }
  }

  /** Sends `rolled` once per selector and venue, not once per channel. */
  #announce(
    { selector, meaning, key, channel, streams }: Follow,
    market: StreamMarket,
    announced: Set<string>,
    nowMs: number,
  ): void {
    const { name, venue, listed } = market
    const fields = { channel: 'market', market: name, venue, slug: listed?.slug, at: nowMs, sent_at: nowMs }
    // A selector of every venue has a window of each.
    const window = `${key} ${venue}`
    if ('coin' in meaning && !announced.has(window)) {
      announced.add(window)
      const previous = [...streams.values()].findLast((stream) => stream.market.venue === venue)?.market.id
      this.#deps.outlet.send(JSON.stringify({ ...fields, type: 'rolled', selector, previous }))
    } else if ('category' in meaning && channel === 'market') {
      this.#deps.outlet.send(JSON.stringify({ ...fields, type: 'opened' }))
    }
  }

  #leaveEnded(follow: Follow, nowMs: number): void {
    const over = [...follow.streams].filter(
      ([, { market }]) => (market.listed?.endsAtMs ?? nowMs) + KEPT_AFTER_END_MS < nowMs,
    )
    for (const [marketId] of over) this.#removeStream(follow, marketId)
  }

  #addStream(follow: Follow, market: StreamMarket): MarketStream {
    const stream = channelKind(follow.channel).open(market, this.#deps.outlet, follow.options)
    follow.streams.set(market.id, stream)
    this.#taken.set(keyOf(follow.channel, market.id), stream)
    return stream
  }

  #removeStream(follow: Follow, marketId: string): void {
    const stream = follow.streams.get(marketId)
    if (stream === undefined) return
    follow.streams.delete(marketId)
    this.#taken.delete(keyOf(follow.channel, marketId))
    this.#deps.hub.remove(stream)
  }
}

/** Of a stream by the id of its market, or of a subscription by its selector. */
function keyOf(channel: string, id: string): string {
  return `${channel} ${id}`
}
