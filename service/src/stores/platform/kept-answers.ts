import { LRUCache } from 'lru-cache'
import { forEverybody } from '../engines/waiting-caller.ts'

export interface KeptAnswersOptions {
  readonly freshForMs: number
  readonly most: number
}

/** Caches results for a short time and shares concurrent reads. Errors and undefined are not cached. */
export class KeptAnswers<T> {
  readonly #freshForMs: number
  readonly #cache: LRUCache<string, { readonly madeAtMs: number; readonly answer: Promise<T> }>

  constructor({ freshForMs, most }: KeptAnswersOptions) {
    this.#freshForMs = freshForMs
    this.#cache = new LRUCache({ max: most })
  }

  async get(key: string, nowMs: number, make: () => Promise<T>): Promise<T> {
    const cached = this.#cache.get(key)
    if (cached !== undefined && nowMs - cached.madeAtMs < this.#freshForMs) return cached.answer
    const entry = { madeAtMs: nowMs, answer: forEverybody(make) }
    this.#cache.set(key, entry)
    let isCached = false
    try {
      const answer = await entry.answer
      isCached = answer !== undefined
      return answer
    } finally {
      if (!isCached && this.#cache.peek(key) === entry) this.#cache.delete(key)
    }
  }
}
