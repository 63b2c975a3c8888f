const SECOND_MS = 1_000
const DEFAULT_PER_SECOND = 20

/**
 * Limits how often per second a process tries every last-trade text on a book. One search takes milliseconds: if
 * the venue changed its hash for all markets at once, unlimited searches would block the sockets.
 */
export class SearchBudget {
  readonly #perSecond: number
  #second = 0
  #taken = 0

  constructor(perSecond = DEFAULT_PER_SECOND) {
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
