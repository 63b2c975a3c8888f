/** One injected failure, or a fault that was switched on or off. */
export interface Deed {
  number: number
  atMs: number
  fault: string
  faultId: string
  connection?: string
  market?: string
  /** All markets of the connection at that time. */
  markets?: readonly string[]
  detail?: string
}

const MAX_DEEDS = 200_000

/**
 * Log of the injected failures, so that a test can compare what a client noticed with what really happened. The books
 * need no log: a world with the same seed and start time goes through the same states.
 */
export class Oracle {
  readonly #deeds: Deed[] = []
  #count = 0

  record(deed: Omit<Deed, 'number'>): void {
    this.#deeds.push({ number: this.#count++, ...deed })
    if (this.#deeds.length > MAX_DEEDS * 1.1) this.#deeds.splice(0, this.#deeds.length - MAX_DEEDS)
  }

  /** The entries from that number on, and how many older ones were already dropped. */
  since(number: number): { deeds: Deed[]; forgotten: number } {
    const first = this.#deeds[0]?.number ?? this.#count
    return { deeds: this.#deeds.slice(Math.max(0, number - first)), forgotten: Math.max(0, first - number) }
  }
}
