import type { BookEvent, ChangeEvent } from '../venue.ts'

/** The socket may be behind REST by this much. */
const REACHED_WITHIN_MS = 2_000
const CHANGES_KEPT_MS = 5_000
const MOST_CHANGES = 4_000

/** See `BinaryBook.checkpoint`. */
export interface ComparisonCheckpoint {
  readonly books?: readonly BookEvent[] | undefined
  readonly sinceMs: number
  readonly changes: readonly { change: ChangeEvent; atMs: number }[]
}

/**
 * REST books of one market that the stream has to reach, and the changes that came meanwhile: if the stream does not
 * reach them, the market starts again from these books and the changes after them.
 */
export class RestComparison {
  #books: readonly BookEvent[] | undefined
  #sinceMs = 0
  #changes: { change: ChangeEvent; atMs: number }[] = []

  checkpoint(): ComparisonCheckpoint {
    return { books: this.#books, sinceMs: this.#sinceMs, changes: [...this.#changes] }
  }

  restore({ books, sinceMs, changes }: ComparisonCheckpoint): void {
    this.#books = books
    this.#sinceMs = sinceMs
    this.#changes = [...changes]
  }

  get books(): readonly BookEvent[] | undefined {
    return this.#books
  }

  isUndecided(nowMs: number): boolean {
    return this.#books !== undefined && !this.isOver(nowMs)
  }

  isOver(nowMs: number): boolean {
    return nowMs - this.#sinceMs >= REACHED_WITHIN_MS
  }

  begin(books: readonly BookEvent[], nowMs: number): void {
    this.#books = books
    this.#sinceMs = nowMs
  }

  end(): void {
    this.#books = undefined
  }

  /** Only called while a book is in doubt or its checks fail: keeping every change would cost memory for nothing. */
  keep(change: ChangeEvent, atMs: number): void {
    this.#changes.push({ change, atMs })
    const first = this.#changes[0]
    if (this.#changes.length <= MOST_CHANGES && (first === undefined || atMs - first.atMs <= CHANGES_KEPT_MS)) return
    this.#changes = this.#changes.filter((each) => atMs - each.atMs <= CHANGES_KEPT_MS).slice(-MOST_CHANGES)
  }

  changesAfter(eventAtMs: number): ChangeEvent[] {
    return this.#changes.flatMap(({ change }) => (change.eventAtMs > eventAtMs ? [change] : []))
  }
}
