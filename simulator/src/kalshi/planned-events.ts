import TinyQueue from 'tinyqueue'

interface PlannedEvent {
  atMs: number
  /** Events of the same millisecond run in the order in which they were planned. */
  number: number
  run: () => void
}

/** A clock with events that run at their time and in a fixed order. */
export class PlannedEvents {
  nowMs: number
  readonly #queue = new TinyQueue<PlannedEvent>([], (one, other) => one.atMs - other.atMs || one.number - other.number)
  #count = 0

  constructor(startMs: number) {
    this.nowMs = startMs
  }

  plan(atMs: number, run: () => void): void {
    this.#queue.push({ atMs: Math.max(atMs, this.nowMs), number: this.#count++, run })
  }

  /** Runs every event up to and including that time. */
  advance(toMs: number): void {
    for (let next = this.#queue.peek(); next !== undefined && next.atMs <= toMs; next = this.#queue.peek()) {
      this.#queue.pop()
      this.nowMs = next.atMs
      next.run()
    }
    this.nowMs = Math.max(this.nowMs, toMs)
  }
}
