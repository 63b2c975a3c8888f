import { z } from 'zod'
import type { Caller } from '../../access/caller.ts'
import { COINS } from '../../domain/market.ts'
import { shown } from '../../domain/value-problems.ts'
import { entryOf } from '../../endpoints/markets/list-live-markets.ts'
import { liveBook } from '../../endpoints/shared/live-book.ts'
import type { Stores } from '../../endpoints/stores.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'
import type { SocketWriter } from './socket-writer.ts'

/** A simpler protocol: the client names a coin and gets the books of all its live markets every two seconds. */
export const SIMPLE_PATH = '/ws/orderbook'

export interface SimpleDeps {
  readonly stores: Stores
  readonly caller: Caller
  readonly writer: SocketWriter
  readonly nowMs: () => number
  readonly onTrouble: (error: unknown) => void
}

const BOOKS_EVERY_MS = 2_000
/** Many clients accept no larger frame. */
const MAX_BYTES = 1024 * 1024
const MAX_BAD_FRAMES = 20

const Auth = z.object({ type: z.literal('auth'), apiKey: z.string().max(200) })
const Frame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribe'), crypto: z.string().max(10) }),
  z.object({ type: z.literal('unsubscribe'), crypto: z.string().max(10) }),
  z.object({ type: z.literal('markets') }),
])

/** The API key, if the text is an auth frame. */
export function simpleKeyIn(text: string): string | undefined {
  return parsed(Auth, text)?.apiKey
}

export class SimpleConnection {
  readonly isReplaying = false
  readonly #deps: SimpleDeps
  readonly #coins = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #badFrames = 0

  constructor(deps: SimpleDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.#sendBooks(this.#coins).catch(deps.onTrouble), BOOKS_EVERY_MS)
  }

  welcome(): void {
    this.#send({ type: 'auth', status: 'ok' })
    this.#sendMarkets()
  }

  receive(text: string): void {
    const frame = parsed(Frame, text)
    if (frame === undefined)
      return this.#refuse('The frame is not valid. type must be subscribe, unsubscribe or markets.')
    if (frame.type === 'markets') return this.#sendMarkets()
    const coin = COINS.find((each) => each === frame.crypto.toUpperCase())
    if (coin === undefined) return this.#refuse(`crypto must be one of ${COINS.join(', ')}, got ${shown(frame.crypto)}`)
    if (frame.type === 'unsubscribe') this.#coins.delete(coin)
    else {
      this.#coins.add(coin)
      void this.#sendBooks([coin]).catch(this.#deps.onTrouble)
    }
  }

  /** Nothing to do: every frame has complete books. */
  drained(): void {}

  end(): void {
    clearInterval(this.#timer)
  }

  async #sendBooks(coins: Iterable<string>): Promise<void> {
    const { stores, nowMs, writer } = this.#deps
    for (const coin of coins) {
      if (writer.isFull) return
      const live = stores.catalogue.list({ coin, statuses: ['live'] }, nowMs())
      const found = await Promise.allSettled(live.map((market) => liveBook(stores, market, nowMs(), true)))
      const markets = found
        .flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        .map(({ marketId, crypto, timeframe, question, cryptoPrice, up, down }) => {
          return { marketId, crypto, timeframe, question, cryptoPrice, up, down }
        })
      this.#send({ type: 'orderbook', markets })
    }
  }

  #sendMarkets(): void {
    const { stores, caller, nowMs, writer } = this.#deps
    const live = stores.catalogue.list({ categories: caller.limits.categories }, nowMs())
    const text = JSON.stringify({ type: 'markets', data: live.map((market) => entryOf(market, nowMs())) })
    if (text.length <= MAX_BYTES) return writer.send(text)
    this.#send({
      type: 'markets',
      count: live.length,
      hint: 'The list is too long for one frame. Use GET /v1/markets/live.',
    })
  }

  #refuse(message: string): void {
    this.#send({ type: 'error', code: 'invalid_request', message })
    if (++this.#badFrames > MAX_BAD_FRAMES) this.#deps.writer.close(CLOSE_CODES.abusive, 'invalid_request')
  }

  #send(frame: object): void {
    this.#deps.writer.send(JSON.stringify(frame))
  }
}

function parsed<Shape extends z.ZodType>(shape: Shape, text: string): z.output<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
