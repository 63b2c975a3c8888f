import { LRUCache } from 'lru-cache'
import { currentCaller, forCaller } from '../engines/waiting-caller.ts'

export interface KeptAnswersOptions {
  readonly freshForMs: number
  readonly most: number
}

interface Kept<T> {
  readonly madeAtMs: number
  readonly answer: Promise<T>
}

/**
 * Caches results for a short time, for all. Concurrent reads of an account are shared, but not those of two accounts,
 * because one would wait for the turns of the other. Errors and undefined are not cached.
 */
export class KeptAnswers<T> {
  readonly #freshForMs: number
  readonly #cache: LRUCache<string, Kept<T>>
  /** By account and key. */
  readonly #reading = new Map<string, Kept<T>>()

  constructor({ freshForMs, most }: KeptAnswersOptions) {
    this.#freshForMs = freshForMs
    this.#cache = new LRUCache({ max: most })
  }

  async get(key: string, nowMs: number, make: () => Promise<T>): Promise<T> {
    const own = `${currentCaller().account} ${key}`
    for (const known of [this.#cache.get(key), this.#reading.get(own)])
      if (known !== undefined && nowMs - known.madeAtMs < this.#freshForMs) return known.answer
    const reading = { madeAtMs: nowMs, answer: forCaller({ signal: undefined }, make) }
    this.#reading.set(own, reading)
    try {
      const answer = await reading.answer
      if (answer !== undefined) this.#cache.set(key, reading)
      return answer
    } finally {
      if (this.#reading.get(own) === reading) this.#reading.delete(own)
    }
  }
}
