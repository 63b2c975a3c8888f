import { LRUCache } from 'lru-cache'

export interface KeptAnswersOptions {
  readonly freshForMs: number
  readonly most: number
}

/** Caches results for a short time and shares concurrent reads. Errors and undefined are not cached. */
export class KeptAnswers<T> {
  readonly #freshForMs: number
  readonly #kept: LRUCache<string, { readonly madeAtMs: number; readonly answer: Promise<T> }>

  constructor({ freshForMs, most }: KeptAnswersOptions) {
    this.#freshForMs = freshForMs
    this.#kept = new LRUCache({ max: most })
  }

  async get(key: string, nowMs: number, make: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key)
    if (kept !== undefined && nowMs - kept.madeAtMs < this.#freshForMs) return kept.answer
    const entry = { madeAtMs: nowMs, answer: make() }
    this.#kept.set(key, entry)
    let isKept = false
    try {
      const answer = await entry.answer
      isKept = answer !== undefined
      return answer
    } finally {
      if (!isKept && this.#kept.peek(key) === entry) this.#kept.delete(key)
    }
  }
}
