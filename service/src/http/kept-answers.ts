import { LRUCache } from 'lru-cache'
import { EncodedBytes } from './encoded-bytes.ts'

/** The list of samples, and their snapshots and heat maps of two sides; former ones until they are displaced. */
export const MOST_KEPT_ANSWERS = 16

/** Bytes of answers that strangers may ask for and that are costly to render and to compress. */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, EncodedBytes>({ max: MOST_KEPT_ANSWERS })

  /** Equal names are equal answers. */
  find(name: string, render: () => string): EncodedBytes {
    const kept = this.#answers.get(name) ?? new EncodedBytes(render())
    this.#answers.set(name, kept)
    return kept
  }

  get size(): number {
    return this.#answers.size
  }
}
