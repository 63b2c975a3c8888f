import { type Deferred, deferred } from './deferred.ts'
import type { StreamEvent } from './stream-events.ts'

/** A first-in, first-out queue with one asynchronous reader. */
export class EventQueue {
  #events: StreamEvent[] = []
  #head = 0
  #end: { error?: unknown } | undefined
  #waiting: Deferred<void> | undefined

  get length(): number {
    return this.#events.length - this.#head
  }

  push(event: StreamEvent): void {
    this.#events.push(event)
    this.#wake()
  }

  clear(): void {
    this.#events = []
    this.#head = 0
  }

  /** Ends the queue after the events that it still holds. */
  end(failure: { error?: unknown } = {}): void {
    this.#end ??= failure
    this.#wake()
  }

  /** Returns undefined at the end; throws when the queue ended with an error. */
  async take(): Promise<StreamEvent | undefined> {
    for (;;) {
      const event = this.#events[this.#head]
      if (event !== undefined) {
        this.#advance()
        return event
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return undefined
      }
      this.#waiting ??= deferred()
      await this.#waiting.promise
    }
  }

  #advance(): void {
    this.#head++
    if (this.#head < 1_024 && this.#head < this.#events.length) return
    this.#events = this.#events.slice(this.#head)
    this.#head = 0
  }

  #wake(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }
}
