import type { Caller } from '../../access/caller.ts'
import { STREAM_SUBSCRIPTIONS } from '../../domain/tier.ts'
import type { MarketStream, Outlet } from '../channels/market-stream.ts'
import { channelKind } from '../protocol/channels.ts'
import type { Channel, Selector, StreamOptions } from '../protocol/protocol.ts'
import type { CurrentMarkets } from './current-markets.ts'
import type { Hub } from './hub.ts'
import type { Refusal } from './resolve-selectors.ts'
import type { StreamMarket } from './stream-market.ts'

export interface SubscriptionDeps {
  readonly hub: Hub
  readonly caller: Caller
  readonly outlet: Outlet
  readonly nowMs: () => number
}

/** One selector on one channel, and the streams that it has brought about. */
interface Follow {
  readonly selector: Selector
  readonly key: string
  readonly channel: Channel
  readonly options: StreamOptions
  readonly streams: Map<string, MarketStream>
  /** What its selector meant when it last moved on. */
  current?: readonly StreamMarket[]
}

/** The frames of a window's last slots are still on their way when it ends. */
const AFTER_THE_END_MS = 5_000

/** What one connection listens to. One stream for a market and channel, so that frames need no name beside these. */
export class Subscriptions {
  readonly #deps: SubscriptionDeps
  readonly #follows: Follow[] = []
  readonly #taken = new Map<string, MarketStream>()
  /** The catalogue may not know it yet. */
  readonly #ended = new Set<string>()

  constructor(deps: SubscriptionDeps) {
    this.#deps = deps
  }

  get used(): number {
    return this.#taken.size
  }

  get most(): number {
    return STREAM_SUBSCRIPTIONS[this.#deps.caller.tier]
  }

  get streams(): Iterable<MarketStream> {
    return this.#taken.values()
  }

  has(stream: MarketStream): boolean {
    return this.#taken.get(keyOf(stream.channel, stream.market.id)) === stream
  }

  /** The new streams, which hear nothing yet; or why there are none. */
  take(
    selector: Selector,
    channel: Channel,
    options: StreamOptions,
    markets: readonly StreamMarket[],
  ): readonly MarketStream[] | Refusal {
    const free = markets.filter(({ id }) => !this.#taken.has(keyOf(channel, id)))
    const key = JSON.stringify(selector)
    const isKnown = this.#follows.some((each) => each.key === key && each.channel === channel)
    if (isKnown || (markets.length > 0 && free.length === 0)) {
      return { reason: 'already_subscribed', message: 'This connection has this channel of this market already.' }
    }
    if (this.used + free.length > this.most) {
      return { reason: 'limit_reached', message: `One connection has room for ${this.most} markets times channels.` }
    }
    const follow: Follow = { selector, key, channel, options, streams: new Map() }
    this.#follows.push(follow)
    return free.map((market) => this.#join(follow, market))
  }

  /** Ends what these selectors brought about on these channels; all of them where none are named. */
  leave(selectors: readonly Selector[] | undefined, channels: readonly Channel[] | undefined): Follow[] {
    const keys = selectors?.map((selector) => JSON.stringify(selector))
    const left = this.#follows.filter(
      ({ key, channel }) => keys?.includes(key) !== false && channels?.includes(channel) !== false,
    )
    for (const follow of left) {
      this.#follows.splice(this.#follows.indexOf(follow), 1)
      for (const marketId of follow.streams.keys()) this.#part(follow, marketId)
    }
    return left
  }

  /** Lets windows and categories move on: new markets join, those that are over leave. */
  moveOn(currently: CurrentMarkets): void {
    const nowMs = this.#deps.nowMs()
    const rolled = new Set<string>()
    for (const follow of this.#follows) {
      const { selector } = follow
      if (!('coin' in selector) && !('category' in selector)) continue
      if ('coin' in selector && follow.channel !== 'market') this.#leaveEnded(follow, nowMs)
      const current = currently.of(selector, follow.key)
      if (current === follow.current) continue
      follow.current = current
      for (const market of current) {
        if (
          this.#ended.has(market.id) ||
          follow.streams.has(market.id) ||
          this.#taken.has(keyOf(follow.channel, market.id))
        )
          continue
        if (this.used >= this.most) continue
        this.#announce(follow, market, rolled, nowMs)
        this.#deps.hub.add(this.#join(follow, market))
      }
    }
  }

  /** The market is resolved: nothing will come of it any more. */
  ended(marketId: string): void {
    this.#ended.add(marketId)
    for (const follow of this.#follows) {
      if ('coin' in follow.selector || 'category' in follow.selector) this.#part(follow, marketId)
    }
  }

  /** Once for each selector, whatever channels it has. */
  #announce({ selector, key, channel, streams }: Follow, market: StreamMarket, told: Set<string>, nowMs: number): void {
    const slug = market.listed?.slug
    const words = { channel: 'market', market: market.name, slug, at: nowMs, sent_at: nowMs }
    if ('coin' in selector && !told.has(key)) {
      told.add(key)
      const previous = [...streams.keys()].at(-1)
      this.#deps.outlet.send(JSON.stringify({ ...words, type: 'rolled', selector, previous }))
    } else if ('category' in selector && channel === 'market') {
      this.#deps.outlet.send(JSON.stringify({ ...words, type: 'opened' }))
    }
  }

  #leaveEnded(follow: Follow, nowMs: number): void {
    const over = [...follow.streams].filter(
      ([, { market }]) => (market.listed?.endsAtMs ?? nowMs) + AFTER_THE_END_MS < nowMs,
    )
    for (const [marketId] of over) this.#part(follow, marketId)
  }

  #join(follow: Follow, market: StreamMarket): MarketStream {
    const stream = channelKind(follow.channel).open(market, this.#deps.outlet, follow.options)
    follow.streams.set(market.id, stream)
    this.#taken.set(keyOf(follow.channel, market.id), stream)
    return stream
  }

  #part(follow: Follow, marketId: string): void {
    const stream = follow.streams.get(marketId)
    if (stream === undefined) return
    follow.streams.delete(marketId)
    this.#taken.delete(keyOf(follow.channel, marketId))
    this.#deps.hub.remove(stream)
  }
}

function keyOf(channel: string, marketId: string): string {
  return `${channel} ${marketId}`
}
