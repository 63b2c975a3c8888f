import { BookreelError } from './bookreel-error.ts'

const FIRST_MS = 250
const MAX_MS = 30_000
/** When the service requests a longer wait, the error is thrown instead. */
const LONGEST_WAIT_MS = 120_000
const RETRIABLE_STATUSES = new Set([429, 502, 503, 504])

/** Exponential back-off with full jitter. */
export function backOffMs(failures: number, random: () => number): number {
  return random() * Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 20))
}

export function isRetriable(error: unknown): boolean {
  if (!(error instanceof BookreelError)) return false
  if (error.code === 'network' || error.code === 'timeout') return true
  return error.status !== undefined && RETRIABLE_STATUSES.has(error.status)
}

/** Counts the retries of one call. */
export class Retries {
  readonly #limit: number
  readonly #signal: AbortSignal | undefined
  readonly #random: () => number
  #failures = 0

  constructor(limit: number, signal?: AbortSignal, random: () => number = Math.random) {
    this.#limit = limit
    this.#signal = signal
    this.#random = random
  }

  /** Called after progress: later failures get the full number of retries again. */
  reset(): void {
    this.#failures = 0
  }

  /** Waits before the next attempt, or throws the error when a retry cannot help. */
  async wait(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted()
    const requestedMs = (error instanceof BookreelError ? error.retryAfterMs : undefined) ?? 0
    if (this.#failures >= this.#limit || !isRetriable(error) || requestedMs > LONGEST_WAIT_MS) throw error
    const jitterMs = backOffMs(this.#failures, this.#random)
    this.#failures++
    // Many clients get the same Retry-After, so add jitter to spread their retries.
    await pause(requestedMs > 0 ? requestedMs + jitterMs : jitterMs, this.#signal)
  }
}

/** Rejects with the reason of the signal when that fires first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
