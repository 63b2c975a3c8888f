import { z } from 'zod'
import type { Delivery } from '../delivery.ts'
import type { Feed, Switchboard } from '../faults/switchboard.ts'
import type { World } from '../world/world.ts'
import { answerInfo } from './info-route.ts'
import { assetContext, DELISTED_CONTEXT } from './perp-context.ts'
import { bookData, mids } from './perp-data.ts'
import { DELISTED_COIN, type PerpMarket, perpCoin } from './perp-market.ts'

const FEED: Feed = 'hyperliquid'
const MAX_CONNECTIONS = 10
const MAX_NEW_A_MINUTE = 30
const MINUTE_MS = 60_000
/** The first frame of a subscription to trades holds this many old ones, oldest first. */
const OLD_TRADES = 30
const IDLE_SERVER_LIMIT_MS = 60_000
const CLOSE_AFTER_MS = 100
const FIRST_BOOK_AFTER_MS = 150
const FAST_DEPTH = 5

const COIN_CHANNELS = ['l2Book', 'bbo', 'trades', 'activeAssetCtx'] as const
const Subscription = z.union([
  z.object({
    type: z.enum(COIN_CHANNELS),
    coin: z.string(),
    fast: z.boolean().nullish(),
    nSigFigs: z.null().optional(),
    mantissa: z.null().optional(),
  }),
  z.object({ type: z.literal('allMids') }),
])
type Subscription = z.infer<typeof Subscription>

const ClientFrame = z.union([
  z.object({ method: z.literal('ping') }),
  z.object({ method: z.enum(['subscribe', 'unsubscribe']), subscription: z.looseObject({ type: z.string() }) }),
  z.object({
    method: z.literal('post'),
    id: z.number(),
    request: z.object({ type: z.literal('info'), payload: z.unknown() }),
  }),
])

interface Followed {
  subscription: Subscription
  dueAtMs: number
  lastBestPrices?: string
  /** Trades of blocks up to this one are sent. */
  tradesUpToMs: number
  frozenBook?: object
}

interface Reader {
  delivery: Delivery
  followed: Map<string, Followed>
  /** Real time of the last frame sent. */
  lastSentAtMs: number
}

/** Interval between two frames of each channel; the book of a fast subscription is smaller and more frequent. */
function everyMs(subscription: Subscription): number {
  switch (subscription.type) {
    case 'l2Book':
      return subscription.fast === true ? 540 : 5_400
    case 'allMids':
      return 5_000
    case 'activeAssetCtx':
      return 1_000
    case 'bbo':
    case 'trades':
      return 0
  }
}

/** The subscription as the venue acknowledges it, with defaults. */
function withDefaults(subscription: Subscription): object {
  if (subscription.type !== 'l2Book') return subscription
  return { type: 'l2Book', coin: subscription.coin, nSigFigs: null, mantissa: null, fast: subscription.fast === true }
}

/** The WebSocket of the perp venue: acknowledges subscriptions, sends whole books at fixed times, closes without a reason. */
export class PerpFeed {
  readonly #readers = new Set<Reader>()
  readonly #world: World
  readonly #perps: PerpMarket
  readonly #faults: Switchboard
  #blockMs = 0
  /** Real times of the connections of the last minute. */
  #acceptedAtMs: number[] = []

  constructor(world: World, perps: PerpMarket, faults: Switchboard) {
    this.#world = world
    this.#perps = perps
    this.#faults = faults
  }

  accept(delivery: Delivery): void {
    if (this.#readers.size >= MAX_CONNECTIONS)
      return delivery.close(1008, `Cannot open more than ${MAX_CONNECTIONS} connections.`)
    if (this.#world.behaviours.has('perp-connection-rate') && !this.#mayAccept()) {
      this.#faults.note('perp-connection-rate', { connection: delivery.id })
      return delivery.close(1008, `Cannot open more than ${MAX_NEW_A_MINUTE} connections a minute.`)
    }
    const reader: Reader = { delivery, followed: new Map(), lastSentAtMs: performance.now() }
    this.#readers.add(reader)
    delivery.onText((text) => this.#receive(reader, text))
    delivery.onClose(() => this.#readers.delete(reader))
  }

  #mayAccept(): boolean {
    const nowMs = performance.now()
    this.#acceptedAtMs = this.#acceptedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    if (this.#acceptedAtMs.length >= MAX_NEW_A_MINUTE) return false
    this.#acceptedAtMs.push(nowMs)
    return true
  }

  /** Sends all frames that are due. */
  sendDue(): void {
    const nowMs = this.#world.nowMs
    const blockMs = this.#perps.blockTime(nowMs)
    const isNewBlock = blockMs !== this.#blockMs
    this.#blockMs = blockMs
    for (const reader of this.#readers) {
      for (const followed of reader.followed.values()) {
        if (nowMs < followed.dueAtMs) continue
        const waitMs = everyMs(followed.subscription)
        if (waitMs > 0 || isNewBlock) this.#sendUpdate(reader, followed, blockMs)
        if (waitMs > 0) followed.dueAtMs += waitMs
      }
      if (performance.now() - reader.lastSentAtMs > IDLE_SERVER_LIMIT_MS) reader.delivery.close(1006, '')
    }
  }

  #send(reader: Reader, channel: string, data: unknown, coin?: string): void {
    reader.lastSentAtMs = performance.now()
    reader.delivery.send(JSON.stringify({ channel, data }), coin)
  }

  #reply(reader: Reader, frame: object): void {
    reader.lastSentAtMs = performance.now()
    reader.delivery.reply(JSON.stringify(frame))
  }

  #sendUpdate(reader: Reader, followed: Followed, blockMs: number): void {
    const { subscription } = followed
    const nowMs = this.#world.nowMs
    if (subscription.type === 'allMids') return this.#send(reader, 'allMids', { mids: mids(this.#perps, nowMs) })
    const coin = perpCoin(subscription.coin)
    if (subscription.type === 'l2Book') return this.#sendBook(reader, followed, subscription)
    if (coin === undefined) return this.#sendDelisted(reader, followed, subscription, blockMs)
    switch (subscription.type) {
      case 'bbo': {
        const [bids, asks] = this.#perps.ladders(coin, blockMs, 1)
        const bbo = [bids[0] ?? null, asks[0] ?? null]
        const bestPrices = JSON.stringify(bbo)
        if (bestPrices === followed.lastBestPrices) return
        followed.lastBestPrices = bestPrices
        return this.#send(reader, 'bbo', { coin: coin.symbol, time: blockMs, bbo }, coin.symbol)
      }
      case 'trades': {
        const fromMs = Math.max(followed.tradesUpToMs + 1, blockMs - MINUTE_MS)
        const trades = this.#perps.tradesIn(coin, { fromMs, toMs: blockMs + 1 })
        followed.tradesUpToMs = blockMs
        if (trades.length > 0) this.#send(reader, 'trades', trades, coin.symbol)
        return
      }
      case 'activeAssetCtx':
        return this.#send(
          reader,
          'activeAssetCtx',
          // That of the second in which it is due: every second is told, also after a pause of this process.
          { coin: coin.symbol, ctx: assetContext(this.#perps, coin, followed.dueAtMs) },
          coin.symbol,
        )
    }
  }

  #sendDelisted(
    reader: Reader,
    followed: Followed,
    { type, coin }: Subscription & { coin: string },
    blockMs: number,
  ): void {
    if (type === 'activeAssetCtx') return this.#send(reader, type, { coin, ctx: DELISTED_CONTEXT }, coin)
    if (type !== 'bbo' || followed.lastBestPrices !== undefined) return
    followed.lastBestPrices = ''
    this.#send(reader, type, { coin, time: blockMs, bbo: [null, null] }, coin)
  }

  #sendBook(
    reader: Reader,
    followed: Followed,
    { coin, fast }: Subscription & { type: 'l2Book' | 'bbo' | 'trades' | 'activeAssetCtx' },
  ): void {
    const offsetMs = this.#faults.find('clock-offset', { feed: FEED })?.options.ms ?? 0
    const fresh = bookData(this.#perps, coin, this.#world.nowMs, fast === true ? FAST_DEPTH : undefined)
    if (fresh === undefined) return
    const book = { ...fresh, time: fresh.time + offsetMs, ...(fast === true && { fast: true }) }
    const isStale = this.#faults.strike('stale-perp-book', { feed: FEED, connection: reader.delivery.id, market: coin })
    followed.frozenBook = isStale ? (followed.frozenBook ?? book) : book
    this.#send(reader, 'l2Book', followed.frozenBook, coin)
  }

  #receive(reader: Reader, text: string): void {
    const frame = parseClientFrame(text)
    if (frame === undefined) {
      return this.#reply(reader, { channel: 'error', data: `Error parsing JSON into valid websocket request: ${text}` })
    }
    switch (frame.method) {
      case 'ping':
        return this.#reply(reader, { channel: 'pong' })
      case 'post': {
        const { payload } = frame.request
        const data = answerInfo(payload, this.#perps, this.#world.nowMs) ?? null
        const type = (payload as { type?: string }).type ?? ''
        return this.#reply(reader, {
          channel: 'post',
          data: { id: frame.id, response: { type: 'info', payload: { type, data } } },
        })
      }
      default:
        return this.#follow(reader, frame.method, frame.subscription)
    }
  }

  #follow(reader: Reader, method: 'subscribe' | 'unsubscribe', requested: object): void {
    const { data: subscription } = Subscription.safeParse(requested)
    const isUnknownCoin =
      subscription !== undefined &&
      'coin' in subscription &&
      perpCoin(subscription.coin) === undefined &&
      subscription.coin !== DELISTED_COIN
    if (subscription === undefined) {
      const request = JSON.stringify({ method, subscription: requested })
      return this.#reply(reader, {
        channel: 'error',
        data: `Error parsing JSON into valid websocket request: ${request}`,
      })
    }
    if (isUnknownCoin && this.#world.broken.has('hyperliquid.unknown-coin-closes')) return
    if (isUnknownCoin) {
      // The venue sends no error: it closes the socket and with it every other subscription.
      setTimeout(() => reader.delivery.close(1006, ''), CLOSE_AFTER_MS)
      return
    }
    const name = JSON.stringify(withDefaults(subscription))
    const isFollowed = reader.followed.has(name)
    if (isFollowed === (method === 'subscribe')) {
      return this.#reply(reader, { channel: 'error', data: `Already ${method}d: ${name}` })
    }
    if (method === 'subscribe' && this.#isIgnored(reader)) return
    this.#reply(reader, { channel: 'subscriptionResponse', data: { method, subscription: withDefaults(subscription) } })
    if (method === 'unsubscribe') reader.followed.delete(name)
    else this.#begin(reader, name, subscription)
  }

  #isIgnored(reader: Reader): boolean {
    if (reader.followed.size === 0) return false
    return this.#faults.strike('ignore-later-subscribes', { feed: FEED, connection: reader.delivery.id }) !== undefined
  }

  #begin(reader: Reader, name: string, subscription: Subscription): void {
    const nowMs = this.#world.nowMs
    // Books with the same interval on one socket are sent at the same times, so a later one joins the first.
    const peers = [...reader.followed.values()].filter((each) => everyMs(each.subscription) === everyMs(subscription))
    reader.followed.set(name, {
      subscription,
      dueAtMs: peers[0]?.dueAtMs ?? nowMs + FIRST_BOOK_AFTER_MS,
      tradesUpToMs: this.#perps.blockTime(nowMs),
    })
    if (subscription.type !== 'trades') return
    const coin = perpCoin(subscription.coin)
    if (coin === undefined) return
    this.#send(reader, 'trades', this.#perps.recentTrades(coin, nowMs, OLD_TRADES).reverse(), coin.symbol)
  }
}

function parseClientFrame(text: string): z.infer<typeof ClientFrame> | undefined {
  try {
    return ClientFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
