/** What a generator got from the service. */
export interface Told {
  /** By outcome, such as `status 429`. */
  readonly counts: Readonly<Record<string, number>>
  /** The connection that the service tolerated the longest. */
  readonly longestMs: number
  /** The highest number of connections open at the same time. */
  readonly mostOpen: number
}

/** Status 500 and above, except the documented 503. */
export const SERVER_ERROR = 'server error'

export class Tally {
  readonly #counts = new Map<string, number>()
  #longestMs = 0
  #mostOpen = 0
  #open = 0

  count(outcome: string, by = 1): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + by)
  }

  countStatus(status: number): void {
    this.count(`status ${status}`)
    if (status >= 500 && status !== 503) this.count(SERVER_ERROR)
  }

  /** Returns a function to call when the connection ends. */
  opened(): () => void {
    const fromMs = performance.now()
    this.#mostOpen = Math.max(this.#mostOpen, ++this.#open)
    return () => {
      this.#open--
      this.#longestMs = Math.max(this.#longestMs, performance.now() - fromMs)
    }
  }

  get told(): Told {
    return {
      counts: Object.fromEntries([...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1))),
      longestMs: Math.round(this.#longestMs),
      mostOpen: this.#mostOpen,
    }
  }
}
