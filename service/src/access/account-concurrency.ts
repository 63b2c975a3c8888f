import { ApiError } from '../domain/api-error.ts'
import { FairQueue } from '../stores/engines/fair-queue.ts'
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
  readonly #queue: FairQueue

  /** Each node runs its share of the requests, and at least one. */
  constructor(nodeCount: () => number = () => 1) {
    const limits = () => ({
      places: Infinity,
      placesOfAccount: Math.max(1, Math.floor(MAX_RUNNING / nodeCount())),
      waiting: Infinity,
      waitingOfAccount: MAX_WAITING,
    })
    this.#queue = new FairQueue(limits, tooManyAtOnce)
  }

  /** Throws `rate_limited` when the queue is full, `overloaded` after 3 seconds of waiting. */
  async take<T>(accountId: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const giveBack = await this.#place(accountId)
    const held: Promise<unknown>[] = []
    const working = work((busy) => held.push(busy))
    void Promise.allSettled([working])
      .then(() => Promise.allSettled(held))
      .then(giveBack)
    return working
  }

  #place(accountId: string): Promise<() => void> {
    const late = new AbortController()
    let steps = 0
    const timer = setInterval(() => {
      if (++steps === MAX_WAIT_STEPS) late.abort(waitedTooLong())
    }, STEP_MS)
    return this.#queue.take(accountId, late.signal).finally(() => clearInterval(timer))
  }
}

function tooManyAtOnce(): ApiError {
  return tooMany(
    `Too many requests for history, quotes, searches or long lists at once: ${MAX_RUNNING} may run and ${MAX_WAITING} may wait per account. Wait for earlier answers, or ${RETRY_SECONDS} s.`,
    RETRY_SECONDS,
    { at_once: MAX_RUNNING, waiting: MAX_WAITING },
  )
}

function waitedTooLong(): ApiError {
  const message =
    'This request waited too long for earlier requests for history, quotes, searches or long lists of your account. Send fewer at once.'
  return new ApiError('overloaded', message, { retryAfterSeconds: 2 })
}
