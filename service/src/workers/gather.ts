import { setImmediate as nextTurn } from 'node:timers/promises'

const NOT_YET = Symbol('not yet')

/** Yields the items that have arrived since the last batch, at least one and at most `most`, so that slow work is done for many at once. */
export async function* gather<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T[], void> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    let next = iterator.next()
    for (;;) {
      const first = await next
      if (first.done) return
      const gathered = [first.value]
      next = iterator.next()
      // Gathered items are yielded before an error of the source is thrown, which happens at `await next`.
      next.catch(() => {})
      while (gathered.length < most) {
        const step = await Promise.race([next, nextTurn(NOT_YET)]).catch(() => NOT_YET)
        if (typeof step === 'symbol' || step.done) break
        gathered.push(step.value)
        next = iterator.next()
        next.catch(() => {})
      }
      yield gathered
    }
  } finally {
    iterator.return?.().catch(() => {})
  }
}
