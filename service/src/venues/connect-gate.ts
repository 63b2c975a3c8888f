import { setTimeout as sleep } from 'node:timers/promises'

export interface GateLimits {
  /** Minimum time between two connects. */
  everyMs: number
  perMinute: number
}

const MINUTE_MS = 60_000

/** Limits the rate at which all sockets to one venue connect, to prevent a reconnect storm. */
export class ConnectGate {
  readonly #limits: GateLimits
  readonly #nowMs: () => number
  #passedAtMs: number[] = []
  #closedUntilMs = Number.NEGATIVE_INFINITY
  #queue: Promise<void> = Promise.resolve()

  constructor(limits: GateLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits
    this.#nowMs = nowMs
  }

  /** Resolves when the caller may connect; rejects when the signal aborts the wait. */
  async enter(signal: AbortSignal): Promise<void> {
    const turn = this.#queue.then(() => this.#wait(signal))
    this.#queue = turn.catch(() => {})
    await turn
  }

  /** Blocks all connects for this long, as the venue asked by Retry-After. */
  closeFor(ms: number): void {
    this.#closedUntilMs = Math.max(this.#closedUntilMs, this.#nowMs() + ms)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let waitMs = this.#waitMs(); waitMs > 0; waitMs = this.#waitMs()) await sleep(waitMs, undefined, { signal })
    signal.throwIfAborted()
    this.#passedAtMs.push(this.#nowMs())
  }

  #waitMs(): number {
    const nowMs = this.#nowMs()
    this.#passedAtMs = this.#passedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS)
    const { everyMs, perMinute } = this.#limits
    const lastMs = this.#passedAtMs.at(-1) ?? Number.NEGATIVE_INFINITY
    const oldest = this.#passedAtMs.at(-perMinute)
    const roomAtMs = oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + MINUTE_MS
    return Math.ceil(Math.max(lastMs + everyMs, roomAtMs, this.#closedUntilMs) - nowMs)
  }
}
