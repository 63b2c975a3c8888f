/** What a callback receives, as an iterable for one reader. */
export class Arriving<Item> implements AsyncIterable<Item> {
  #items: Item[] = []
  #arrival = Promise.withResolvers<void>()

  push(item: Item): void {
    this.#items.push(item)
    this.#arrival.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      await this.#arrival.promise
      this.#arrival = Promise.withResolvers()
      const items = this.#items
      this.#items = []
      yield* items
    }
  }
}
