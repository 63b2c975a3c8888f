import type { Client } from '../delivery.ts'
import { headOf } from './book-frames.ts'

export const CHANNELS = ['orderbook_delta', 'trade', 'ticker', 'market_lifecycle_v2'] as const
export type Channel = (typeof CHANNELS)[number]

export interface Connection {
  delivery: Client
  /** By sid. */
  subscriptions: Map<number, Subscription>
  nextSid: number
  /** Real time. */
  pingAtMs: number
}

export interface Subscription {
  readonly connection: Connection
  readonly channel: Channel
  readonly sid: number
  /** Of the newest frame, over all markets. */
  seq: number
  readonly tickers: Set<string>
  /** Follows the whole exchange, because no ticker was named. */
  readonly isWhole: boolean
  /** Bids for NO are shown at the price of YES. */
  readonly useYesPrice: boolean
}

/** A connection received the book of a market in this time. */
export interface Followed {
  connection: string
  market: string
  fromMs: number
  toMs?: number
}

const MOST_FOLLOWED_KEPT = 200_000

/** Who gets the frames of which market. */
export class Subscriptions {
  readonly connections = new Set<Connection>()
  /** Which connection had which book when: a lost frame of a connection spoils all of them. */
  readonly followed: Followed[] = []
  readonly #followers = new Map<Channel, Map<string, Set<Subscription>>>(
    CHANNELS.map((channel) => [channel, new Map()]),
  )
  readonly #whole = new Map<Channel, Set<Subscription>>(CHANNELS.map((channel) => [channel, new Set()]))
  readonly #openFollowed = new Map<Subscription, Map<string, Followed>>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  begin(
    connection: Connection,
    channel: Channel,
    { isWhole, useYesPrice }: Pick<Subscription, 'isWhole' | 'useYesPrice'>,
  ): Subscription {
    const sid = connection.nextSid++
    const subscription = { connection, channel, sid, seq: 0, tickers: new Set<string>(), isWhole, useYesPrice }
    connection.subscriptions.set(sid, subscription)
    if (isWhole) this.#whole.get(channel)?.add(subscription)
    return subscription
  }

  /** Adds markets; returns those that the subscription did not have. */
  add(subscription: Subscription, tickers: readonly string[]): string[] {
    const added = [...new Set(tickers)].filter((ticker) => !subscription.tickers.has(ticker))
    const followers = this.#followers.get(subscription.channel)
    for (const ticker of added) {
      subscription.tickers.add(ticker)
      followers?.set(ticker, (followers.get(ticker) ?? new Set()).add(subscription))
      this.#note(subscription, ticker)
    }
    return added
  }

  remove(subscription: Subscription, tickers: Iterable<string>): void {
    for (const ticker of [...tickers]) {
      if (!subscription.tickers.delete(ticker)) continue
      this.#followers.get(subscription.channel)?.get(ticker)?.delete(subscription)
      const entry = this.#openFollowed.get(subscription)?.get(ticker)
      if (entry !== undefined) entry.toMs = this.#nowMs()
    }
  }

  end(subscription: Subscription): void {
    this.remove(subscription, subscription.tickers)
    this.#openFollowed.delete(subscription)
    this.#whole.get(subscription.channel)?.delete(subscription)
    subscription.connection.subscriptions.delete(subscription.sid)
  }

  endAll(connection: Connection): void {
    this.connections.delete(connection)
    for (const subscription of [...connection.subscriptions.values()]) this.end(subscription)
  }

  /** Subscriptions of the channel that include the market. */
  of(channel: Channel, ticker: string): ReadonlySet<Subscription> {
    const named = this.#followers.get(channel)?.get(ticker)
    const whole = this.#whole.get(channel)
    if (whole === undefined || whole.size === 0) return named ?? NOBODY
    return named === undefined ? whole : new Set([...whole, ...named])
  }

  #note(subscription: Subscription, market: string): void {
    if (subscription.channel !== 'orderbook_delta') return
    const entry = { connection: subscription.connection.delivery.id, market, fromMs: this.#nowMs() }
    this.followed.push(entry)
    if (this.followed.length > MOST_FOLLOWED_KEPT * 1.1)
      this.followed.splice(0, this.followed.length - MOST_FOLLOWED_KEPT)
    const open = this.#openFollowed.get(subscription) ?? new Map<string, Followed>()
    this.#openFollowed.set(subscription, open.set(market, entry))
  }
}

const NOBODY: ReadonlySet<Subscription> = new Set()

interface FrameFacts {
  /** The market that the frame is about. */
  market?: string | undefined
  /** Of the command that the frame answers. */
  id?: number | undefined
}

/** Sends the next frame of a subscription; frames of the ticker channel are not counted. */
export function sendNext(
  subscription: Subscription,
  type: string,
  tail: string,
  { market, id }: FrameFacts = {},
): void {
  const seq = subscription.channel === 'ticker' ? undefined : ++subscription.seq
  subscription.connection.delivery.send(`${headOf(type, subscription.sid, seq, id)}${tail}`, market)
}
