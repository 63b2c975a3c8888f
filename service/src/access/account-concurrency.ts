import PQueue from 'p-queue'
import { ApiError } from '../domain/api-error.ts'
import { tooMany } from './refusals.ts'

const MAX_RUNNING = 4
const MAX_WAITING = 100
const RETRY_SECONDS = 1
const MAX_WAIT_STEPS = 30
/** A pause of the process counts as one step of waiting, so that finished work is read before a request times out. */
const STEP_MS = 100

/** Keeps the place of a request until this has ended, also when the request is answered or abandoned before. */
export type Hold = (busy: Promise<unknown>) => void

/** Limits how many requests of an account that read much run at the same time; further requests wait in a queue. */
export class AccountConcurrency {
  readonly #queues = new Map<string, PQueue>()
  readonly #nodeCount: () => number

  /** Each node runs its share of the requests, and at least one. */
  constructor(nodeCount: () => number = () => 1) {
    this.#nodeCount = nodeCount
  }

  /** Throws `rate_limited` when the queue is full, `overloaded` after 3 seconds of waiting. */
  async take<T>(accountId: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const concurrency = Math.max(1, Math.floor(MAX_RUNNING / this.#nodeCount()))
    const queue = this.#queues.get(accountId) ?? new PQueue({ concurrency })
    queue.concurrency = concurrency
    if (queue.size >= MAX_WAITING) {
      throw tooMany(
        `Too many requests for history, quotes, searches or long lists at once: ${MAX_RUNNING} may run and ${MAX_WAITING} may wait per account. Wait for earlier answers, or ${RETRY_SECONDS} s.`,
        RETRY_SECONDS,
        { at_once: MAX_RUNNING, waiting: MAX_WAITING },
      )
    }
    this.#queues.set(accountId, queue)
    const timeout = new AbortController()
    let steps = 0
    const timer = setInterval(() => {
      if (++steps < MAX_WAIT_STEPS) return
      const message =
        'This request waited too long for earlier requests for history, quotes, searches or long lists of your account. Send fewer at once.'
      timeout.abort(new ApiError('overloaded', message, { retryAfterSeconds: 2 }))
    }, STEP_MS)
    const result = Promise.withResolvers<T>()
    const place = queue.add(
      async () => {
        clearInterval(timer)
        const held: Promise<unknown>[] = []
        const working = work((busy) => held.push(busy))
        working.then(result.resolve, result.reject)
        await working.catch(() => {})
        await Promise.allSettled(held)
      },
      { signal: timeout.signal },
    )
    place.catch(result.reject).finally(() => {
      clearInterval(timer)
      if (queue.size === 0 && queue.pending === 0) this.#queues.delete(accountId)
    })
    return result.promise
  }
}
