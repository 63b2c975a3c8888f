import { z } from 'zod'
import type { Caller } from '../../access/caller.ts'
import { ApiError } from '../../domain/api-error.ts'
import { type Category, COINS } from '../../domain/market.ts'
import { shown } from '../../domain/value-problems.ts'
import { entryOf } from '../../endpoints/markets/list-live-markets.ts'
import { liveBook } from '../../endpoints/shared/live-book.ts'
import type { Stores } from '../../endpoints/stores.ts'
import { forCaller } from '../../stores/engines/waiting-caller.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'
import { DEFAULT_VENUE } from '../../venue-registry.ts'
import type { GatewayMeter } from '../gateway-metrics.ts'
import { CLOSE_CODES } from '../protocol/protocol.ts'
import type { SocketWriter } from './socket-writer.ts'
import { streamErrorOf } from './stream-error.ts'
import { FrameCount, type StreamLimits } from './stream-limits.ts'

/**
 * A simpler protocol: the client names a coin and gets the books of all its live markets every two seconds. Its frames
 * name no venue, so it has only markets of the first.
 */
export const SIMPLE_PATH = '/ws/orderbook'

export interface SimpleDeps {
  readonly stores: Stores
  readonly caller: Caller
  readonly writer: SocketWriter
  readonly limits: StreamLimits
  readonly meter: GatewayMeter
  readonly nowMs: () => number
  readonly onTrouble: (error: unknown) => void
}

const BOOKS_EVERY_MS = 2_000
/** Many clients accept no larger frame. */
const MAX_BYTES = 1024 * 1024
/** The text of the list is written at most once in this time, for all connections with the same categories. */
const LIST_FRESH_FOR_MS = 1_000

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
  readonly #count: FrameCount
  /** Coins whose books are being read; they are not read twice at the same time. */
  readonly #reading = new Set<string>()

  constructor(deps: SimpleDeps) {
    this.#deps = deps
    this.#count = new FrameCount(deps.limits, deps.caller.accountId)
    this.#timer = setInterval(() => void this.#sendBooks(this.#coins).catch(deps.onTrouble), BOOKS_EVERY_MS)
  }

  welcome(): void {
    this.#send({ type: 'auth', status: 'ok' })
    this.#sendMarkets()
  }

  receive(text: string): void {
    if (this.#count.isOver) return
    try {
      this.#count.take()
    } catch (error) {
      return this.#refuse(streamErrorOf(error))
    }
    const frame = parsed(Frame, text)
    if (frame === undefined)
      return this.#refuse(invalid('The frame is not valid. type must be subscribe, unsubscribe or markets.'))
    if (frame.type === 'markets') return this.#sendMarkets()
    const coin = COINS.find((each) => each === frame.crypto.toUpperCase())
    if (coin === undefined)
      return this.#refuse(invalid(`crypto must be one of ${COINS.join(', ')}, got ${shown(frame.crypto)}`))
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
    const { stores, nowMs, writer, caller } = this.#deps
    for (const coin of coins) {
      if (writer.isFull) return
      if (this.#reading.has(coin)) continue
      this.#reading.add(coin)
      const live = stores.catalogue.list({ venue: DEFAULT_VENUE, coin, statuses: ['live'] }, nowMs())
      const found = await forCaller({ account: caller.accountId }, () =>
        Promise.allSettled(live.map((market) => liveBook(stores, market, nowMs(), true))),
      )
      this.#reading.delete(coin)
      const markets = found
        .flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        .map(({ marketId, venue, crypto, timeframe, question, cryptoPrice, up, down }) => {
          return { marketId, venue, crypto, timeframe, question, cryptoPrice, up, down }
        })
      this.#send({ type: 'orderbook', markets })
    }
  }

  #sendMarkets(): void {
    const { stores, caller, nowMs, writer } = this.#deps
    if (!writer.isFull) return writer.send(listText(stores.catalogue, caller.limits.categories, nowMs()))
    this.#refuse(new ApiError('rate_limited', 'Read the frames that were sent before you ask for the list again.'))
  }

  #refuse({ code, message }: ApiError): void {
    this.#send({ type: 'error', code, message })
    this.#deps.meter.refusedFrame(code)
    this.#count.refused()
    if (this.#count.isOver) this.#deps.writer.close(CLOSE_CODES.abusive, code)
  }

  #send(frame: object): void {
    this.#deps.writer.send(JSON.stringify(frame))
  }
}

interface ListText {
  readonly untilMs: number
  readonly text: string
}

const listTexts = new WeakMap<LiveCatalogue, Map<string, ListText>>()

/** The `markets` frame. */
function listText(catalogue: LiveCatalogue, categories: readonly Category[], nowMs: number): string {
  const texts = listTexts.get(catalogue) ?? new Map<string, ListText>()
  listTexts.set(catalogue, texts)
  const key = categories.join()
  const known = texts.get(key)
  if (known !== undefined && nowMs < known.untilMs) return known.text
  const live = catalogue.list({ venue: DEFAULT_VENUE, categories }, nowMs)
  const whole = JSON.stringify({ type: 'markets', data: live.map((market) => entryOf(market, nowMs)) })
  const hint = 'The list is too long for one frame. Use GET /v1/markets/live.'
  const text = whole.length <= MAX_BYTES ? whole : JSON.stringify({ type: 'markets', count: live.length, hint })
  texts.set(key, { untilMs: nowMs + LIST_FRESH_FOR_MS, text })
  return text
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_request', message)
}

function parsed<Shape extends z.ZodType>(shape: Shape, text: string): z.output<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
