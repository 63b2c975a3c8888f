/** Joins several ordered sequences by time; the order within each stays, even where its times step back. */
export async function* mergeByTime<Item extends { readonly atMs: number }>(
  sequences: readonly AsyncIterable<Item>[],
): AsyncGenerator<Item> {
  const open = await Promise.all(
    sequences.map(async (sequence) => {
      const items = sequence[Symbol.asyncIterator]()
      return { items, next: await items.next() }
    }),
  )
  while (true) {
    const waiting = open.filter(({ next }) => !next.done)
    const [first] = waiting.toSorted((one, other) => one.next.value.atMs - other.next.value.atMs)
    if (first === undefined) return
    yield first.next.value
    first.next = await first.items.next()
  }
}
