import { ApiError } from '../domain/api-error.ts'

const AT_ONCE = 4
const WAITING = 100
const WAITS_FOR_STEPS = 30
/** A pause of the process counts as one step, however long it is: the answers that free a place are not read yet. */
const STEP_MS = 100

/** Of each account only a few costly questions are worked on at once; some more may wait, in the order they came. */
export class AccountConcurrency {
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Fault: `rate_limited` when too many wait already. */
  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    await this.#begin(accountId)
    try {
      return await work()
    } finally {
      this.#end(accountId)
    }
  }

  async #begin(accountId: string): Promise<void> {
    const running = this.#running.get(accountId) ?? 0
    if (running < AT_ONCE) {
      this.#running.set(accountId, running + 1)
      return
    }
    const queue = this.#waiting.get(accountId) ?? []
    if (queue.length >= WAITING) {
      throw new ApiError('rate_limited', `At most ${AT_ONCE} questions of an account are worked on at once.`, {
        details: { at_once: AT_ONCE, waiting: WAITING },
        retryAfterSeconds: 1,
      })
    }
    this.#waiting.set(accountId, queue)
    const { promise: turn, resolve, reject } = Promise.withResolvers<void>()
    queue.push(resolve)
    let steps = 0
    const timer = setInterval(() => {
      if (++steps < WAITS_FOR_STEPS) return
      clearInterval(timer)
      const place = queue.indexOf(resolve)
      if (place < 0) return
      queue.splice(place, 1)
      reject(new ApiError('overloaded', 'The questions before this one took too long.', { retryAfterSeconds: 2 }))
    }, STEP_MS)
    await turn.finally(() => clearInterval(timer))
  }

  /** Hands the place on, if somebody waits for it. */
  #end(accountId: string): void {
    const queue = this.#waiting.get(accountId)
    const next = queue?.shift()
    if (queue?.length === 0) this.#waiting.delete(accountId)
    if (next !== undefined) return next()
    const running = (this.#running.get(accountId) ?? 1) - 1
    if (running === 0) this.#running.delete(accountId)
    else this.#running.set(accountId, running)
  }
}
