import { setImmediate as nextTurn } from 'node:timers/promises'

interface Planned {
  atMs: number
  readonly order: number
  readonly run: () => void
}

/** A clock that is moved by the test: everything planned runs at its time, in one order, without waiting. */
export class VirtualTime {
  #nowMs = 0
  #order = 0
  readonly #planned: Planned[] = []

  get nowMs(): number {
    return this.#nowMs
  }

  after(ms: number, run: () => void): void {
    const planned = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order++, run }
    let at = this.#planned.length
    while (at > 0 && isBefore(planned, this.#planned[at - 1])) at--
    this.#planned.splice(at, 0, planned)
  }

  async runUntil(untilMs: number): Promise<void> {
    for (let next = this.#planned[0]; next !== undefined && next.atMs <= untilMs; next = this.#planned[0]) {
      this.#planned.shift()
      this.#nowMs = next.atMs
      next.run()
      // Lets every promise that has become ready run to its next wait.
      await nextTurn()
    }
    this.#nowMs = untilMs
  }
}

function isBefore(one: Planned, other: Planned | undefined): boolean {
  return other !== undefined && (one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order))
}
