/** What a running feed must do because somebody changed what is wanted. */
export interface WantedListener {
  added(ids: readonly string[]): void
  removed(ids: readonly string[]): void
  /** Ask for these again, from the beginning. */
  refreshed(ids: readonly string[]): void
  /** Begin anew with another socket. */
  restarted(detail: string): void
}

/** What one socket is there for. It outlives the socket, so that nothing is forgotten when it is opened again. */
export class Wanted {
  readonly #ids = new Set<string>()
  #listener: WantedListener | undefined
  #waiting: (() => void)[] = []

  constructor(ids: Iterable<string> = []) {
    for (const id of ids) this.#ids.add(id)
  }

  get ids(): readonly string[] {
    return [...this.#ids]
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  add(ids: Iterable<string>): void {
    const added = [...new Set(ids)].filter((id) => !this.#ids.has(id))
    for (const id of added) this.#ids.add(id)
    if (added.length === 0) return
    this.#listener?.added(added)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  remove(ids: Iterable<string>): void {
    const removed = [...new Set(ids)].filter((id) => this.#ids.delete(id))
    if (removed.length > 0) this.#listener?.removed(removed)
  }

  /** The venue sends these again from the beginning, over the socket and so in order with everything else. */
  refresh(ids: Iterable<string>): void {
    const held = [...new Set(ids)].filter((id) => this.#ids.has(id))
    if (held.length > 0) this.#listener?.refreshed(held)
  }

  /** For an owner who sees that the socket does not do what was asked. */
  restart(detail: string): void {
    this.#listener?.restarted(detail)
  }

  /** Resolves when something is wanted, or at the end. */
  async untilAny(signal: AbortSignal): Promise<void> {
    if (!this.isEmpty || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  listen(listener: WantedListener | undefined): void {
    this.#listener = listener
  }
}
