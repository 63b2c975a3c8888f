import { z } from 'zod'
import type { Delivery } from '../delivery.ts'
import type { Feed, Switchboard } from '../faults/switchboard.ts'
import type { World } from '../world/world.ts'
import { type BookTicker, spotBookTicker, spotCoin, spotTrade } from './spot-quotes.ts'

const FEED: Feed = 'binance'
const STEP_MS = 100
const PING_EVERY_MS = 20_000

const ClientFrame = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE']),
  params: z.array(z.string()),
  id: z.union([z.number(), z.string(), z.null()]),
})

interface Reader {
  delivery: Delivery
  /** `btcusdt@bookTicker` and the like, with the last quote sent. */
  streams: Map<string, string>
  isCombined: boolean
  pingAtMs: number
}

/** The stream of the spot exchange: best bid and ask on every change, and trades; plain or in the combined format. */
export class SpotFeed {
  readonly #readers = new Set<Reader>()
  readonly #world: World
  readonly #seed: string
  readonly #faults: Switchboard
  #step = 0

  constructor(world: World, seed: string, faults: Switchboard) {
    this.#world = world
    this.#seed = seed
    this.#faults = faults
    faults.onSwitch((fault, isOn) => {
      if (isOn && fault.name === 'server-shutdown') this.#shutDown(fault.options.closeAfterMs ?? 0)
    })
  }

  /** The exchange says so before it closes its sockets for maintenance. */
  #shutDown(closeAfterMs: number): void {
    for (const { delivery } of this.#readers) {
      if (this.#faults.strike('server-shutdown', { feed: FEED, connection: delivery.id }) === undefined) continue
      const data = { e: 'serverShutdown', E: this.#world.nowMs }
      delivery.send(JSON.stringify({ stream: '!serverShutdown', data }))
      setTimeout(() => delivery.close(1001, ''), closeAfterMs)
    }
  }

  /** `/ws/<stream>` gives bare payloads, `/stream?streams=a/b` wraps each in its stream's name. */
  accept(delivery: Delivery, address: URL): void {
    const combined = address.searchParams.get('streams')
    const names = combined === null ? address.pathname.split('/').slice(3) : combined.split('/')
    const reader: Reader = {
      delivery,
      streams: new Map(names.filter((name) => name !== '').map((name) => [name, ''])),
      isCombined: address.pathname.endsWith('/stream'),
      pingAtMs: this.#world.nowMs + PING_EVERY_MS,
    }
    this.#readers.add(reader)
    delivery.onText((text) => this.#receive(reader, text))
    delivery.onClose(() => this.#readers.delete(reader))
  }

  sendDue(): void {
    const step = Math.floor(this.#world.nowMs / STEP_MS)
    if (step === this.#step) return
    this.#step = step
    for (const reader of this.#readers) {
      for (const name of reader.streams.keys()) this.#sendUpdate(reader, name, step)
      if (this.#world.nowMs < reader.pingAtMs) continue
      reader.pingAtMs += PING_EVERY_MS
      reader.delivery.ping()
    }
  }

  #sendUpdate(reader: Reader, name: string, step: number): void {
    const [symbol = '', kind] = name.split('@')
    const coin = spotCoin(symbol)
    if (coin === undefined) return
    if (kind === 'bookTicker') {
      const ticker = spotBookTicker(this.#world.spot, coin, step * STEP_MS)
      const quote = quoteOf(ticker)
      if (reader.streams.get(name) === quote) return
      reader.streams.set(name, quote)
      this.#send(reader, name, ticker, coin.symbol)
    } else if (kind === 'trade') {
      const trade = spotTrade(this.#seed, this.#world.spot, coin, step * STEP_MS)
      if (trade !== undefined) this.#send(reader, name, trade, coin.symbol)
    }
  }

  #send(reader: Reader, stream: string, data: object, coin: string): void {
    reader.delivery.send(JSON.stringify(reader.isCombined ? { stream, data } : data), coin)
  }

  #receive(reader: Reader, text: string): void {
    let frame: z.infer<typeof ClientFrame>
    try {
      frame = ClientFrame.parse(JSON.parse(text))
    } catch {
      return reader.delivery.reply('{"error":{"code":2,"msg":"Invalid request"}}')
    }
    if (frame.method === 'UNSUBSCRIBE') for (const name of frame.params) reader.streams.delete(name)
    else if (!this.#faults.strike('ignore-later-subscribes', { feed: FEED, connection: reader.delivery.id })) {
      for (const name of frame.params) reader.streams.set(name, '')
    }
    reader.delivery.reply(JSON.stringify({ result: null, id: frame.id }))
  }
}

function quoteOf({ b, B, a, A }: BookTicker): string {
  return `${b} ${B} ${a} ${A}`
}
