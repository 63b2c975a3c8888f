/** Yields the same items, and ends at the signal even when the source ignores it. */
export async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await nextOrEnd(iterator, signal)
      if (step.done) return
      yield step.value
    }
  } finally {
    // Not awaited: a source that waits for its next item resolves only after that item.
    iterator.return?.().catch(() => {})
  }
}

/** One listener per item: racing one long-lived promise would leak memory with every race. */
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
