import { z } from 'zod'
import type { Delivery } from '../delivery.ts'
import type { Feed, Switchboard } from '../faults/switchboard.ts'
import type { Market } from '../world/market.ts'
import type { World } from '../world/world.ts'
import { firstBookText } from './frames.ts'
import { hashRule } from './hash-rule.ts'

export const FEED: Feed = 'polymarket'
/** A frame that names more tokens than this gets no books, without a word. */
const MAX_TOKENS_A_FRAME = 750
const FEW_TOKENS_A_FRAME = 20
const IDLE_LIMIT_MS = 125_000
const RESUBSCRIBE_PAUSE_MS = 200
const DELTAS_GO_ON_FOR_MS = 73

const ClientFrame = z.object({
  assets_ids: z.array(z.string()),
  type: z.literal('market').optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  custom_feature_enabled: z.boolean().optional(),
  initial_dump: z.boolean().optional(),
})
type ClientFrame = z.infer<typeof ClientFrame>

export interface Reader {
  delivery: Delivery
  tokens: Set<string>
  /** Real time at which tokens were removed. */
  removedAtMs: Map<string, number>
  hasSubscribed: boolean
  /** Set by each subscribe frame, also by one that does not name it. */
  hasCustomEvents: boolean
  /** Real time of the last message in; a faster simulated clock does not make clients faster. */
  lastMessageAtMs: number
}

/** The clients of the market WebSocket: what each one subscribed to, and what it is answered. */
export class MarketReaders {
  readonly all = new Set<Reader>()
  readonly #followers = new Map<string, Set<Reader>>()
  readonly #world: World
  readonly #faults: Switchboard

  constructor(world: World, faults: Switchboard) {
    this.#world = world
    this.#faults = faults
  }

  accept(delivery: Delivery): void {
    const reader: Reader = {
      delivery,
      tokens: new Set(),
      removedAtMs: new Map(),
      hasSubscribed: false,
      hasCustomEvents: false,
      lastMessageAtMs: performance.now(),
    }
    this.all.add(reader)
    delivery.marketsOf = () => [
      ...new Set([...reader.tokens].flatMap((token) => this.#world.tokens.get(token)?.market.conditionId ?? [])),
    ]
    const watch = setInterval(() => {
      const lastTrafficAtMs = Math.max(reader.lastMessageAtMs, delivery.lastSentAtMs)
      if (performance.now() - lastTrafficAtMs > IDLE_LIMIT_MS) delivery.close(1006, '')
    }, 1_000)
    delivery.onText((text) => {
      reader.lastMessageAtMs = performance.now()
      this.#receive(reader, text)
    })
    delivery.onClose(() => {
      clearInterval(watch)
      this.all.delete(reader)
      for (const readers of this.#followers.values()) readers.delete(reader)
    })
  }

  /** Subscribers of either token. */
  ofMarket(market: Market): ReadonlySet<Reader> {
    return this.#followers.get(market.conditionId) ?? new Set()
  }

  /** The venue ends a connection that has nothing left to send. */
  closeFinished(market: Market): void {
    for (const { tokens, delivery } of [...this.ofMarket(market)]) {
      const isFinished = [...tokens].every((token) => this.#world.tokens.get(token)?.market.phase === 'resolved')
      if (!isFinished) continue
      this.#faults.note('close-when-all-resolved', { connection: delivery.id, markets: delivery.marketsOf() })
      if (this.#world.broken.has('polymarket.close-when-resolved')) delivery.finish(1001, '')
      else delivery.finish(1000, 'all subscribed assets resolved')
    }
  }

  /** Most messages are not acknowledged; only a few mistakes are answered, with a bare text. */
  #receive(reader: Reader, text: string): void {
    if (text === 'PING') return reader.delivery.reply('PONG')
    const frame = parseClientFrame(text)
    if (frame === undefined) return reader.delivery.reply('INVALID MESSAGE')
    if (frame.operation === 'unsubscribe') return this.#unsubscribe(reader, frame.assets_ids)
    if (frame.operation === undefined && reader.hasSubscribed) return reader.delivery.reply('INVALID OPERATION')
    this.#subscribe(reader, frame)
  }

  #subscribe(reader: Reader, frame: ClientFrame): void {
    const { delivery, tokens } = reader
    const isLater = frame.operation === 'subscribe'
    if (isLater && this.#faults.strike('ignore-later-subscribes', { feed: FEED, connection: delivery.id })) return
    reader.hasSubscribed = true
    const hasFlagForEver = this.#world.broken.has('polymarket.custom-events-last') && reader.hasCustomEvents
    reader.hasCustomEvents = frame.custom_feature_enabled === true || hasFlagForEver
    const added = frame.assets_ids.filter((token) => !tokens.has(token))
    if (frame.assets_ids.length > 0 && added.length === 0) return delivery.reply('NO NEW ASSETS')
    const withBooks = added.filter((token) => !this.#isTooSoon(reader, token))
    for (const token of added) {
      tokens.add(token)
      reader.removedAtMs.delete(token)
      const market = this.#world.tokens.get(token)?.market
      if (market === undefined) continue
      const readers = this.#followers.get(market.conditionId) ?? new Set()
      this.#followers.set(market.conditionId, readers.add(reader))
    }
    const isFew = this.#world.broken.has('polymarket.tokens-per-frame')
    const mostTokens = isFew ? FEW_TOKENS_A_FRAME : MAX_TOKENS_A_FRAME
    if (frame.initial_dump === false || frame.assets_ids.length > mostTokens) return
    if (this.#world.broken.has('polymarket.settled-token') && added.some((token) => this.#isSettled(token)))
      return delivery.close(1008, 'unknown asset')
    if (withBooks.length > 0) this.#sendFirstBooks(reader, withBooks)
  }

  #isSettled(token: string): boolean {
    return this.#world.tokens.get(token)?.market.phase === 'resolved'
  }

  #isTooSoon({ delivery, removedAtMs }: Reader, token: string): boolean {
    if (this.#world.broken.has('polymarket.subscribe-again') && removedAtMs.has(token)) return true
    if (!this.#world.behaviours.has('needs-pause-before-resubscribe')) return false
    const isTooSoon = performance.now() - (removedAtMs.get(token) ?? Number.NEGATIVE_INFINITY) < RESUBSCRIBE_PAUSE_MS
    if (isTooSoon) {
      const market = this.#world.tokens.get(token)?.market.conditionId
      this.#faults.note('needs-pause-before-resubscribe', { connection: delivery.id, market, detail: token })
    }
    return isTooSoon
  }

  /** Tokens without a book are left out in silence; if no other is named, the array is empty. */
  #sendFirstBooks({ delivery }: Reader, tokens: readonly string[]): void {
    const onTime: string[] = []
    let heldBack = 0
    for (const token of tokens) {
      const known = this.#world.tokens.get(token)
      if (known === undefined || known.market.phase !== 'trading') continue
      const occasion = { feed: FEED, connection: delivery.id, market: known.market.conditionId }
      const isMissing = this.#faults.find('mute', occasion) || this.#faults.strike('no-first-book', occasion)
      const late = isMissing ? undefined : this.#faults.strike('late-first-book', occasion)
      if (isMissing || late !== undefined) heldBack++
      else onTime.push(token)
      if (late !== undefined) setTimeout(() => this.#sendBooks(delivery, [token]), late.options.delayMs)
    }
    if (onTime.length > 0 || heldBack === 0) this.#sendBooks(delivery, onTime)
  }

  #sendBooks(delivery: Delivery, tokens: readonly string[]): void {
    const rule = hashRule(this.#faults)
    const offsetMs = clockOffsetMs(this.#faults)
    const books = tokens.flatMap((token) => {
      const known = this.#world.tokens.get(token)
      if (known === undefined) return []
      return [firstBookText(known.market, known.outcome, known.market.changedAtMs + offsetMs, rule)]
    })
    // The frame gets a market id only when all its books belong to one market.
    const markets = new Set(tokens.map((each) => this.#world.tokens.get(each)?.market.conditionId))
    delivery.send(`[${books.join(',')}]\n`, markets.size === 1 ? [...markets][0] : undefined)
  }

  #unsubscribe(reader: Reader, tokens: readonly string[]): void {
    for (const token of tokens) {
      if (!reader.tokens.delete(token)) continue
      reader.removedAtMs.set(token, performance.now())
      const market = this.#world.tokens.get(token)?.market
      if (market === undefined || this.#world.broken.has('polymarket.unsubscribe')) continue
      if (this.#world.behaviours.has('deltas-after-unsubscribe')) {
        setTimeout(() => this.#unfollow(reader, market), DELTAS_GO_ON_FOR_MS)
      } else this.#unfollow(reader, market)
    }
  }

  #unfollow(reader: Reader, market: Market): void {
    if (market.tokenIds.some((token) => reader.tokens.has(token))) return
    this.#followers.get(market.conditionId)?.delete(reader)
  }
}

export function clockOffsetMs(faults: Switchboard): number {
  return faults.isQuiet ? 0 : (faults.find('clock-offset', { feed: FEED })?.options.ms ?? 0)
}

function parseClientFrame(text: string): ClientFrame | undefined {
  try {
    return ClientFrame.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
