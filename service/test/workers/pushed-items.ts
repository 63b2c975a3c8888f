/** A source that a test pushes items into. It never ends by itself, and counts the items taken. */
export class PushedItems<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = []
  #arrival = Promise.withResolvers<void>()
  takenCount = 0

  push(...items: T[]): void {
    this.#waiting.push(...items)
    this.#arrival.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const item = this.#waiting.shift()
      if (item !== undefined) {
        this.takenCount++
        yield item
        continue
      }
      this.#arrival = Promise.withResolvers()
      await this.#arrival.promise
    }
  }
}
