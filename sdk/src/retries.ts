import { BookreelError } from './bookreel-error.ts'

const FIRST_MS = 250
const MOST_MS = 30_000
/** Who is asked to wait longer is told so instead. */
const LONGEST_WAIT_MS = 120_000
const WORTH_ANOTHER_TRY = new Set([429, 502, 503, 504])

/** Twice as long each time, and never two clients at once. */
export function backOffMs(failures: number, random: () => number): number {
  return random() * Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 20))
}

export function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof BookreelError)) return false
  if (error.code === 'network' || error.code === 'timeout') return true
  return error.status !== undefined && WORTH_ANOTHER_TRY.has(error.status)
}

/** The tries that one call has. */
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

  /** Something was achieved: what fails from now on is a new trouble. */
  reset(): void {
    this.#failures = 0
  }

  /** Waits until the next try, or throws what can't be mended by one. */
  async wait(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted()
    const askedMs = (error instanceof BookreelError ? error.retryAfterMs : undefined) ?? 0
    if (this.#failures >= this.#limit || !isWorthAnotherTry(error) || askedMs > LONGEST_WAIT_MS) throw error
    const jitterMs = backOffMs(this.#failures, this.#random)
    this.#failures++
    // All who were told the same second would come back in it: the jitter comes on top.
    await pause(askedMs > 0 ? askedMs + jitterMs : jitterMs, this.#signal)
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
