import { z } from 'zod'
import type { Delivery } from '../delivery.ts'
import type { World } from '../world/world.ts'
import {
  coinsOf,
  hasHistory,
  historyFrame,
  isMissing,
  symbolOf,
  TOPIC_DELAY_MS,
  TOPICS,
  type Topic,
  updateFrame,
} from './price-frames.ts'

const ClientFrame = z.object({
  action: z.enum(['subscribe', 'unsubscribe']),
  subscriptions: z.array(z.object({ topic: z.string(), type: z.string(), filters: z.string().optional() })),
})

/** With this many entries or more the venue sends only the prices of the exchange, without an error. */
const TOO_MANY_ENTRIES = 24
/** Without a text `PING` for this long no more prices are sent; the socket stays open. */
const SILENT_WITHOUT_PING_MS = 228_000
/** After a pause of the process, older updates are left out. */
const MOST_SECONDS_AT_ONCE = 10

interface Reader {
  delivery: Delivery
  /** The one symbol of a filtered topic, or undefined for all of them. */
  topics: Map<Topic, string | undefined>
  /** The server understood none of the subscriptions: it sends nothing and says nothing. */
  isMute: boolean
  pingedAtMs: number
}

/** Polymarket's price socket: prices of an exchange, of Chainlink, and averages of these, once a second. */
export class PriceFeed {
  readonly #readers = new Set<Reader>()
  readonly #sentSecond = new Map<Topic, number>()
  readonly #world: World
  readonly #seed: string

  constructor(world: World, seed: string) {
    this.#world = world
    this.#seed = seed
  }

  accept(delivery: Delivery): void {
    const reader: Reader = { delivery, topics: new Map(), isMute: false, pingedAtMs: this.#world.nowMs }
    this.#readers.add(reader)
    delivery.onText((text) => this.#receive(reader, text))
    delivery.onClose(() => this.#readers.delete(reader))
  }

  sendDue(): void {
    const { nowMs } = this.#world
    for (const topic of TOPICS) {
      const due = Math.floor((nowMs - TOPIC_DELAY_MS[topic]) / 1_000)
      const sent = Math.max(this.#sentSecond.get(topic) ?? due - 1, due - MOST_SECONDS_AT_ONCE)
      this.#sentSecond.set(topic, due)
      for (let second = sent + 1; second <= due; second++) this.#sendUpdates(topic, second * 1_000)
    }
  }

  #sendUpdates(topic: Topic, priceAtMs: number): void {
    const { nowMs, spot } = this.#world
    const isListening = ({ topics, isMute, pingedAtMs }: Reader): boolean =>
      !isMute && topics.has(topic) && nowMs - pingedAtMs <= SILENT_WITHOUT_PING_MS
    const readers = [...this.#readers].filter(isListening)
    if (readers.length === 0) return
    for (const coin of coinsOf(topic)) {
      if (isMissing(this.#seed, topic, coin, priceAtMs)) continue
      const text = updateFrame(spot, topic, coin, priceAtMs, nowMs)
      for (const { delivery, topics } of readers) {
        const wanted = topics.get(topic)
        if (wanted === undefined || wanted === symbolOf(topic, coin)) delivery.send(text, coin.symbol)
      }
    }
  }

  #receive(reader: Reader, text: string): void {
    // Never answered, unlike the ping of the order book socket.
    if (text === 'PING') {
      reader.pingedAtMs = this.#world.nowMs
      return
    }
    const frame = ClientFrame.safeParse(jsonIn(text))
    if (!frame.success) return
    const { action, subscriptions } = frame.data
    const known = subscriptions.map((each) => ({ ...each, topic: TOPICS.find((topic) => topic === each.topic) }))
    if (action === 'unsubscribe') {
      for (const { topic } of known) if (topic !== undefined) reader.topics.delete(topic)
      return
    }
    reader.isMute = known.some(({ topic, filters }) => topic === undefined || filters?.includes(' '))
    if (known.length >= TOO_MANY_ENTRIES) reader.topics = new Map([['crypto_prices', undefined]])
    else for (const { topic, filters } of known) if (topic !== undefined) this.#add(reader, topic, filters)
    reader.delivery.reply('')
  }

  /** One filter per topic counts: the last one. */
  #add(reader: Reader, topic: Topic, filters = ''): void {
    const symbol = (jsonIn(filters) as { symbol?: string } | undefined)?.symbol
    reader.topics.set(topic, symbol)
    const coin = coinsOf(topic).find((each) => symbolOf(topic, each) === symbol)
    if (coin === undefined || !hasHistory(topic)) return
    reader.delivery.send(historyFrame(this.#world.spot, topic, coin, this.#world.nowMs), coin.symbol)
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
