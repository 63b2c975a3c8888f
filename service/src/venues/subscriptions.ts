/** Called when the subscriptions of a running feed change. */
export interface SubscriptionListener {
  added(ids: readonly string[]): void
  removed(ids: readonly string[]): void
  /** Subscribe these again, to get whole books. */
  refreshed(ids: readonly string[]): void
}

/** The ids that one socket subscribes. It outlives the socket, so that a reconnect subscribes all of them again. */
export class Subscriptions {
  readonly #ids = new Set<string>()
  #listener: SubscriptionListener | undefined
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

  has(id: string): boolean {
    return this.#ids.has(id)
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

  /** Has the venue send whole books again over the socket, which keeps the order of events. */
  refresh(ids: Iterable<string>): void {
    const held = [...new Set(ids)].filter((id) => this.#ids.has(id))
    if (held.length > 0) this.#listener?.refreshed(held)
  }

  /** Resolves when there is at least one id, or at the signal. */
  async untilAny(signal: AbortSignal): Promise<void> {
    if (!this.isEmpty || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  listen(listener: SubscriptionListener | undefined): void {
    this.#listener = listener
  }
}
