import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MarketUpdate, marketIdOf } from './market-updates.ts'

export interface OutboxDeps {
  /** Resolves when NATS has stored the update; the same `messageId` is given for every try. */
  publish(update: MarketUpdate, messageId: string): Promise<void>
  /** A try failed; the update stays in the outbox. */
  onFailed(error: unknown, waiting: number): void
  /** The outbox is full and forgets its oldest update. */
  onDropped(update: MarketUpdate): void
}

interface Entry {
  readonly update: MarketUpdate
  readonly messageId: string
}

const MOST_WAITING = 20_000
const PUBLISHED_AT_ONCE = 64
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** Keeps every market update until NATS has acknowledged it, however long NATS is unavailable. In order for each market. */
export class MarketUpdateOutbox {
  readonly #deps: OutboxDeps
  /** By kind and market: a newer update of the same kind replaces one that still waits. */
  readonly #waiting = new Map<string, Entry>()
  /** Part of every message id, so that NATS does not take the update of another outbox for a repetition. */
  readonly #name = randomUUID()
  #added = 0
  #wake: (() => void) | undefined

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  get waiting(): number {
    return this.#waiting.size
  }

  add(update: MarketUpdate): void {
    const key = `${update.kind} ${marketIdOf(update)}`
    this.#waiting.delete(key)
    this.#waiting.set(key, { update, messageId: `${this.#name}-${this.#added++}` })
    const [oldest] = this.#waiting
    if (this.#waiting.size > MOST_WAITING && oldest !== undefined) {
      this.#waiting.delete(oldest[0])
      this.#deps.onDropped(oldest[1].update)
    }
    this.#wake?.()
  }

  /** Publishes until the signal, then tries once more. */
  async run(signal: AbortSignal): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      if (await this.#publishSome()) {
        pauseMs = FIRST_PAUSE_MS
        await this.#untilAny(signal)
      } else {
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
    }
    while (this.#waiting.size > 0 && (await this.#publishSome()));
  }

  /** Returns whether all of them were acknowledged. */
  async #publishSome(): Promise<boolean> {
    let failure: unknown
    await Promise.all(
      this.#next().map(async ([key, entry]) => {
        try {
          await this.#deps.publish(entry.update, entry.messageId)
          if (this.#waiting.get(key) === entry) this.#waiting.delete(key)
        } catch (error) {
          failure ??= error
        }
      }),
    )
    if (failure !== undefined) this.#deps.onFailed(failure, this.#waiting.size)
    return failure === undefined
  }

  /** The oldest updates, at most one of each market: its next one waits until this one is acknowledged. */
  #next(): [string, Entry][] {
    const next: [string, Entry][] = []
    const marketIds = new Set<string>()
    for (const [key, entry] of this.#waiting) {
      const marketId = marketIdOf(entry.update)
      if (!marketIds.has(marketId)) next.push([key, entry])
      marketIds.add(marketId)
      if (next.length === PUBLISHED_AT_ONCE) break
    }
    return next
  }

  async #untilAny(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size > 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    this.#wake = undefined
  }
}
