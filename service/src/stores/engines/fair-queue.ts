import { ApiError } from '../../domain/api-error.ts'

export interface FairQueueLimits {
  /** How much work runs at once. */
  readonly places: number
  /** The same of one account. Below `places`, so that no account takes them all. */
  readonly placesOfAccount: number
  /** How much work waits; more is refused. */
  readonly waiting: number
  readonly waitingOfAccount: number
}

interface Line {
  running: number
  /** First come, first served. */
  readonly waiting: Set<() => void>
}

/** Gives places to accounts in turn: an account that wants much waits for itself, and delays any other by one turn. */
export class FairQueue {
  readonly #limits: () => FairQueueLimits
  readonly #refusal: () => ApiError
  /** By account, in the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #running = 0
  #waiting = 0

  constructor(limits: FairQueueLimits | (() => FairQueueLimits), refusal: () => ApiError = tooMuchWaits) {
    this.#limits = typeof limits === 'function' ? limits : () => limits
    this.#refusal = refusal
  }

  /**
   * Waits for a place, and returns the function that gives it back: call it once, when the work has really ended.
   * Rejects with the reason of the signal when this aborts, and with `overloaded` when too much waits.
   */
  async take(account: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const { waiting, waitingOfAccount } = this.#limits()
    const line = this.#lines.get(account) ?? { running: 0, waiting: new Set() }
    if (line.waiting.size >= waitingOfAccount || this.#waiting >= waiting) throw this.#refusal()
    const { promise: turn, resolve: start, reject } = Promise.withResolvers<void>()
    this.#lines.set(account, line)
    line.waiting.add(start)
    this.#waiting++
    this.#startNext()
    const leave = (): void => {
      if (!line.waiting.delete(start)) return
      this.#waiting--
      this.#forgetUnused(account, line)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    await turn.finally(() => signal?.removeEventListener('abort', leave))
    const giveBack = (): void => {
      line.running--
      this.#running--
      this.#forgetUnused(account, line)
      this.#startNext()
    }
    if (signal?.aborted) giveBack()
    signal?.throwIfAborted()
    return giveBack
  }

  #startNext(): void {
    const { places, placesOfAccount } = this.#limits()
    for (const [account, line] of this.#lines) {
      if (this.#running >= places) return
      const [start] = line.waiting
      if (start === undefined || line.running >= placesOfAccount) continue
      line.waiting.delete(start)
      line.running++
      this.#waiting--
      this.#running++
      // Its next turn is after those of all others; the loop comes to it again.
      this.#lines.delete(account)
      this.#lines.set(account, line)
      start()
    }
  }

  #forgetUnused(account: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(account)
  }
}

function tooMuchWaits(): ApiError {
  const message = 'Too many reads wait for their turn. Send fewer at once, and try again in a second.'
  return new ApiError('overloaded', message, { retryAfterSeconds: 1 })
}
