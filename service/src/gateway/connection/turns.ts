/**
 * Long work of many connections, a piece at a time: at most one piece in each iteration of the event loop, in the order of
 * requests. If each connection took its own turn, a hundred of them would delay a live frame a hundred times as long.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  /** Resolves in a later iteration of the event loop. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#waiting.shift()?.()
      this.#schedule()
    })
  }
}

/** Shared, because a process has one event loop. */
export const turns = new Turns()
