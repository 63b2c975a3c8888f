import PQueue from 'p-queue'
import { ApiError } from '../domain/api-error.ts'

const AT_ONCE = 4
const WAITING = 100
const WAITS_FOR_STEPS = 30
/** A pause of the process counts as one step, however long it is: the answers that free a place are not read yet. */
const STEP_MS = 100

/** Limits the costly requests of each account that run at once; some more may wait, in the order they came. */
export class AccountConcurrency {
  readonly #queues = new Map<string, PQueue>()

  /** ApiError: `rate_limited` when too many wait already, `overloaded` after 3 seconds of waiting. */
  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(accountId) ?? new PQueue({ concurrency: AT_ONCE })
    if (queue.size >= WAITING) {
      throw new ApiError('rate_limited', `At most ${AT_ONCE} history requests of an account run at once.`, {
        details: { at_once: AT_ONCE, waiting: WAITING },
        retryAfterSeconds: 1,
      })
    }
    this.#queues.set(accountId, queue)
    const tooLate = new AbortController()
    let steps = 0
    const timer = setInterval(() => {
      if (++steps < WAITS_FOR_STEPS) return
      const message = 'The requests of your account before this one took too long.'
      tooLate.abort(new ApiError('overloaded', message, { retryAfterSeconds: 2 }))
    }, STEP_MS)
    try {
      return await queue.add(
        () => {
          clearInterval(timer)
          return work()
        },
        { signal: tooLate.signal },
      )
    } finally {
      clearInterval(timer)
      if (queue.size === 0 && queue.pending === 0) this.#queues.delete(accountId)
    }
  }
}
