/** One thing that was done wrong on purpose. */
export interface Deed {
  number: number
  atMs: number
  fault: string
  faultId: string
  connection?: string
  market?: string
  detail?: string
}

const MOST_DEEDS = 200_000

/**
 * Remembers what was done and when, so that a test can hold what a client noticed against the truth. What
 * the books really were needs no memory: a world of the same seed and start goes through the same states.
 */
export class Oracle {
  readonly #deeds: Deed[] = []
  #count = 0

  note(deed: Omit<Deed, 'number'>): void {
    this.#deeds.push({ number: this.#count++, ...deed })
    if (this.#deeds.length > MOST_DEEDS * 1.1) this.#deeds.splice(0, this.#deeds.length - MOST_DEEDS)
  }

  /** The deeds from that number on, and how many were forgotten between it and the first of them. */
  since(number: number): { deeds: Deed[]; forgotten: number } {
    const first = this.#deeds[0]?.number ?? this.#count
    return { deeds: this.#deeds.slice(Math.max(0, number - first)), forgotten: Math.max(0, first - number) }
  }
}
