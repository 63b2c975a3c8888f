/** How many moments are kept. */
const MOST_KEPT = 500
const DEBOUNCE_MS = 120

export interface MomentBooksOptions<Book> {
  readonly fetch: (atMs: number, signal: AbortSignal) => Promise<Book>
  readonly perSecond: () => number
  readonly onBook: (atMs: number, book: Book) => void
  readonly onError: (atMs: number, error: Error) => void
}

/**
 * The exact books of moments. While the playhead moves nothing is requested; once it rests there is one request, the
 * former one is aborted, and there are never more in a second than allowed.
 */
export class MomentBooks<Book> {
  readonly #options: MomentBooksOptions<Book>
  /** In the order of use. */
  readonly #kept = new Map<number, Book>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: AbortController | undefined
  #startedAtMs = -Infinity
  #wantedMs: number | undefined

  constructor(options: MomentBooksOptions<Book>) {
    this.#options = options
  }

  /** Returns the book when it is known; otherwise it comes later, unless another moment is wanted before. */
  want(atMs: number): Book | undefined {
    if (atMs === this.#wantedMs) return this.#kept.get(atMs)
    this.close()
    this.#wantedMs = atMs
    const known = this.#kept.get(atMs)
    if (known !== undefined) {
      this.#keep(atMs, known)
      return known
    }
    const freeInMs = this.#startedAtMs + 1_000 / this.#options.perSecond() - performance.now()
    this.#timer = setTimeout(() => void this.#load(atMs), Math.max(DEBOUNCE_MS, freeInMs))
    return undefined
  }

  /** Requests the wanted moment again after its book could not be read. */
  again(): void {
    const wanted = this.#wantedMs
    if (wanted === undefined || this.#kept.has(wanted)) return
    this.#wantedMs = undefined
    this.want(wanted)
  }

  /** The books are of something else now. */
  clear(): void {
    this.close()
    this.#kept.clear()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#running?.abort()
    this.#wantedMs = undefined
  }

  async #load(atMs: number): Promise<void> {
    const running = new AbortController()
    this.#running = running
    this.#startedAtMs = performance.now()
    try {
      const book = await this.#options.fetch(atMs, running.signal)
      this.#keep(atMs, book)
      if (!running.signal.aborted) this.#options.onBook(atMs, book)
    } catch (error) {
      if (!running.signal.aborted) this.#options.onError(atMs, error as Error)
    }
  }

  #keep(atMs: number, book: Book): void {
    this.#kept.delete(atMs)
    this.#kept.set(atMs, book)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}
