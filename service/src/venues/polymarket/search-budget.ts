const SECOND_MS = 1_000
const USUAL_PER_SECOND = 20

/**
 * How many books in one process may have every last-trade text tried on them. A search takes milliseconds:
 * if the venue changed its hash for all markets at once, searching each of them would leave no time to listen.
 */
export class SearchBudget {
  readonly #perSecond: number
  #second = 0
  #taken = 0

  constructor(perSecond = USUAL_PER_SECOND) {
    this.#perSecond = perSecond
  }

  mayTake(atMs: number): boolean {
    const second = Math.floor(atMs / SECOND_MS)
    if (second !== this.#second) {
      this.#second = second
      this.#taken = 0
    }
    if (this.#taken >= this.#perSecond) return false
    this.#taken++
    return true
  }
}
