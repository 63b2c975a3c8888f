import { z } from 'zod'
import type { Delivery } from '../delivery.ts'
import type { Feed, Switchboard } from '../faults/switchboard.ts'
import type { Market } from '../world/market.ts'
import { fixedNumber } from '../world/random.ts'
import type { Happening, World } from '../world/world.ts'
import {
  bestBidAskText,
  bookText,
  firstBookText,
  hashesOf,
  marketResolvedText,
  newMarketText,
  priceChangeText,
  tickSizeText,
  tradeText,
} from './frames.ts'

const FEED: Feed = 'polymarket'
const OUTCOMES = [0, 1] as const
/** With more tokens than this the venue silently sends no first books. */
const MAX_TOKENS_WITH_BOOKS = 750
const IDLE_CLIENT_LIMIT_MS = 30_000
const SHARE_OF_BEST_PRICES_NOT_SENT = 0.02

const ClientFrame = z.object({
  assets_ids: z.array(z.string()),
  type: z.literal('market').optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  custom_feature_enabled: z.boolean().optional(),
  initial_dump: z.boolean().optional(),
})
type ClientFrame = z.infer<typeof ClientFrame>

interface Reader {
  delivery: Delivery
  tokens: Set<string>
  hasCustomEvents: boolean
  /** Real time of the last message; a faster simulated clock does not make clients faster. */
  lastMessageAtMs: number
}

/** The market WebSocket: keeps the subscriptions and sends the frames. */
export class MarketFeed {
  readonly #readers = new Set<Reader>()
  readonly #followers = new Map<string, Set<Reader>>()
  readonly #world: World
  readonly #faults: Switchboard

  constructor(world: World, faults: Switchboard) {
    this.#world = world
    this.#faults = faults
  }

  accept(delivery: Delivery): void {
    const reader: Reader = { delivery, tokens: new Set(), hasCustomEvents: false, lastMessageAtMs: performance.now() }
    this.#readers.add(reader)
    const watch = setInterval(() => {
      if (performance.now() - reader.lastMessageAtMs > IDLE_CLIENT_LIMIT_MS) delivery.close(1006, '')
    }, 1_000)
    delivery.onText((text) => {
      reader.lastMessageAtMs = performance.now()
      this.#receive(reader, text)
    })
    delivery.onClose(() => {
      clearInterval(watch)
      this.#readers.delete(reader)
      for (const readers of this.#followers.values()) readers.delete(reader)
    })
  }

  /** Sends the frames of a market event to all subscribers. */
  publish(happening: Happening): void {
    const { market } = happening
    const stampMs = this.#stamp(happening.atMs)
    switch (happening.kind) {
      case 'batch':
        return this.#sendBatch(happening, stampMs)
      case 'trade':
        return this.#sendToToken(market, happening.trade.outcome, () => tradeText(market, happening.trade, stampMs))
      case 'tick':
        for (const outcome of OUTCOMES) {
          this.#sendToToken(market, outcome, () => tickSizeText(market, outcome, happening.from, happening.to, stampMs))
        }
        return
      case 'created':
        return this.#sendToAll(newMarketText(market, stampMs), market)
      case 'resolved':
        return this.#sendToFollowers(market, marketResolvedText(market, stampMs), (reader) => reader.hasCustomEvents)
    }
  }

  #stamp(atMs: number): number {
    if (this.#faults.isQuiet) return atMs
    return atMs + (this.#faults.find('clock-offset', { feed: FEED })?.options.ms ?? 0)
  }

  #sendBatch({ market, changes, topMoved, trade }: Happening & { kind: 'batch' }, stampMs: number): void {
    const followers = this.#followersOf(market)
    if (followers.length === 0) return
    const hashes = hashesOf(market, stampMs)
    if (topMoved && fixedNumber(market.order, stampMs) >= SHARE_OF_BEST_PRICES_NOT_SENT) {
      for (const outcome of OUTCOMES) {
        this.#sendToToken(
          market,
          outcome,
          () => bestBidAskText(market, outcome, stampMs),
          (reader) => reader.hasCustomEvents,
        )
      }
    }
    for (const change of changes) {
      const text = priceChangeText(market, change, stampMs, hashes)
      for (const { delivery } of followers) delivery.send(text, market.conditionId)
    }
    if (trade === undefined) return
    for (const outcome of OUTCOMES) {
      this.#sendToToken(market, outcome, () => bookText(market, outcome, stampMs, hashes[outcome]))
    }
  }

  /** Subscribers of either token; the fault `stray-market` adds clients that did not subscribe. */
  #followersOf(market: Market): Reader[] {
    const followers = [...(this.#followers.get(market.conditionId) ?? [])]
    if (this.#faults.isQuiet) return followers
    for (const reader of this.#readers) {
      if (followers.includes(reader) || reader.tokens.size === 0) continue
      const occasion = { feed: FEED, connection: reader.delivery.id, market: market.conditionId }
      if (this.#faults.strike('stray-market', occasion)) followers.push(reader)
    }
    return followers
  }

  #sendToFollowers(market: Market, text: string, isIncluded: (reader: Reader) => boolean): void {
    for (const reader of this.#followersOf(market))
      if (isIncluded(reader)) reader.delivery.send(text, market.conditionId)
  }

  #sendToToken(
    market: Market,
    outcome: 0 | 1,
    text: () => string,
    isIncluded: (reader: Reader) => boolean = () => true,
  ): void {
    let made: string | undefined
    for (const reader of this.#followers.get(market.conditionId) ?? []) {
      if (!reader.tokens.has(market.tokenIds[outcome]) || !isIncluded(reader)) continue
      made ??= text()
      reader.delivery.send(made, market.conditionId)
    }
  }

  #sendToAll(text: string, market: Market): void {
    for (const reader of this.#readers) if (reader.hasCustomEvents) reader.delivery.send(text, market.conditionId)
  }

  /** Like the venue: no acknowledgement and no error; unknown messages are ignored. */
  #receive(reader: Reader, text: string): void {
    if (text === 'PING') return reader.delivery.reply('PONG')
    const frame = parseClientFrame(text)
    if (frame === undefined) return
    if (frame.operation === 'unsubscribe') return this.#unsubscribe(reader, frame.assets_ids)
    if (frame.custom_feature_enabled === true) reader.hasCustomEvents = true
    this.#subscribe(reader, frame)
  }

  #subscribe(reader: Reader, frame: ClientFrame): void {
    const occasion = { feed: FEED, connection: reader.delivery.id }
    const isLater = frame.operation === 'subscribe'
    if (isLater && this.#faults.strike('ignore-later-subscribes', occasion)) return
    const hasNoNewToken = isLater && frame.assets_ids.every((token) => reader.tokens.has(token))
    for (const token of frame.assets_ids) {
      reader.tokens.add(token)
      const market = this.#world.tokens.get(token)?.market
      if (market === undefined) continue
      const readers = this.#followers.get(market.conditionId) ?? new Set()
      this.#followers.set(market.conditionId, readers.add(reader))
    }
    if (hasNoNewToken) reader.delivery.reply('NO NEW ASSETS')
    if (frame.initial_dump === false || reader.tokens.size > MAX_TOKENS_WITH_BOOKS) return
    this.#sendFirstBooks(reader, frame.assets_ids)
  }

  #sendFirstBooks(reader: Reader, tokens: readonly string[]): void {
    const { delivery } = reader
    const onTime: string[] = []
    for (const token of tokens) {
      const known = this.#world.tokens.get(token)
      if (known === undefined || known.market.phase !== 'trading') continue
      const occasion = { feed: FEED, connection: delivery.id, market: known.market.conditionId }
      if (this.#faults.find('mute', occasion) || this.#faults.strike('no-first-book', occasion)) continue
      const late = this.#faults.strike('late-first-book', occasion)
      if (late === undefined) onTime.push(token)
      else setTimeout(() => this.#sendBooks(delivery, [token]), late.options.delayMs)
    }
    this.#sendBooks(delivery, onTime)
  }

  #sendBooks(delivery: Delivery, tokens: readonly string[]): void {
    const books = tokens.flatMap((token) => {
      const known = this.#world.tokens.get(token)
      return known === undefined
        ? []
        : [firstBookText(known.market, known.outcome, this.#stamp(known.market.changedAtMs))]
    })
    const [token] = tokens
    // The frame gets a market id only when all its books belong to one market.
    const markets = new Set(tokens.map((each) => this.#world.tokens.get(each)?.market.conditionId))
    if (token !== undefined) delivery.send(`[${books.join(',')}]\n`, markets.size === 1 ? [...markets][0] : undefined)
  }

  #unsubscribe(reader: Reader, tokens: readonly string[]): void {
    for (const token of tokens) {
      reader.tokens.delete(token)
      const market = this.#world.tokens.get(token)?.market
      if (market === undefined || market.tokenIds.some((each) => reader.tokens.has(each))) continue
      this.#followers.get(market.conditionId)?.delete(reader)
    }
  }
}

function parseClientFrame(text: string): ClientFrame | undefined {
  try {
    return ClientFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
