/** The same items, and an end as soon as the signal says so, whether the source knows of it or not. */
export async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await nextOrEnd(iterator, signal)
      if (step.done) return
      yield step.value
    }
  } finally {
    // A source that is waiting for its next item answers only after it; nobody should wait for that.
    iterator.return?.().catch(() => {})
  }
}

/** Listens anew for every item: one promise raced for ever would remember every race. */
function nextOrEnd<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T, unknown>> {
  if (signal.aborted) return Promise.resolve({ done: true, value: undefined })
  return new Promise((resolve, reject) => {
    const end = () => resolve({ done: true, value: undefined })
    signal.addEventListener('abort', end, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', end))
      .catch(reject)
  })
}
