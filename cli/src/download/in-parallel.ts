/** Runs `work` for every item, `count` at a time. The first failure aborts running work and skips the rest. */
export async function inParallel<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const queue = items.values()
  const errors: unknown[] = []
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failed.signal.aborted) return
      try {
        await work(item, failed.signal)
      } catch (error) {
        errors.push(error)
        failed.abort()
      }
    }
  }
  await Promise.all(Array.from({ length: count }, worker))
  if (errors.length > 0) throw errors[0]
}
