import type { JetStreamClient } from '@nats-io/jetstream'
import type { Market } from '../domain/market.ts'
import { decodeMarketUpdate } from './market-updates.ts'
import { MARKETS_STREAM } from './subjects.ts'
import { machineTimer } from './timer.ts'

export interface OpenMarketsDeps {
  jetstream: JetStreamClient
  venue: string
  nowMs: () => number
  onAdded(market: Market): void
  onRemoved(market: Market): void
  onTrouble(error: unknown): void
}

const AGAIN_AFTER_MS = 1_000
/** An ended market that is still followed is listed again every three minutes. */
const LISTED_AGAIN_WITHIN_MS = 420_000

/** The markets of a venue that are listed and neither closed nor resolved, as the process that discovers them says. */
export class OpenMarkets {
  readonly #deps: OpenMarketsDeps
  readonly #markets = new Map<string, Market>()
  #isLoaded = false
  #readUpTo = 0

  constructor(deps: OpenMarketsDeps) {
    this.#deps = deps
  }

  /** Whether everything that was published before the start has been read. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  get markets(): ReadonlyMap<string, Market> {
    return this.#markets
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#read(signal)
      } catch (error) {
        if (!signal.aborted) this.#deps.onTrouble(error)
      }
      await machineTimer.sleep(AGAIN_AFTER_MS, signal)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { jetstream, venue } = this.#deps
    const { state } = await (await jetstream.jetstreamManager(false)).streams.info(MARKETS_STREAM)
    // The stream was made again.
    if (state.last_seq < this.#readUpTo) this.#readUpTo = 0
    const consumer = await jetstream.consumers.get(MARKETS_STREAM, {
      filter_subjects: `market.${venue}.>`,
      opt_start_seq: this.#readUpTo + 1,
    })
    const { num_pending } = await consumer.info()
    if (num_pending === 0) this.#isLoaded = true
    const messages = await consumer.consume()
    const end = (): void => void messages.close()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    try {
      for await (const message of messages) {
        this.#take(message.data, message.time.getTime())
        this.#readUpTo = message.seq
        if (message.info.pending === 0) this.#isLoaded = true
      }
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }

  #take(data: Uint8Array, publishedAtMs: number): void {
    const update = decodeMarketUpdate(data)
    if (update.kind !== 'listed') {
      const id = update.kind === 'closed' ? update.marketId : update.resolution.marketId
      const market = this.#markets.get(id)
      this.#markets.delete(id)
      if (market !== undefined) this.#deps.onRemoved(market)
      return
    }
    const { market } = update
    if (this.#markets.has(market.id) || this.#isForgotten(market, publishedAtMs)) return
    this.#markets.set(market.id, market)
    this.#deps.onAdded(market)
  }

  /**
   * An ended market without a result is followed as long as it is listed again and again; most of those in the stream
   * have ended while no recorder was running.
   */
  #isForgotten({ endsAtMs }: Market, publishedAtMs: number): boolean {
    const listedUntilMs = Math.max(endsAtMs, publishedAtMs) + LISTED_AGAIN_WITHIN_MS
    return !this.#isLoaded && endsAtMs <= this.#deps.nowMs() && listedUntilMs <= this.#deps.nowMs()
  }
}
