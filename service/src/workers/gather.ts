import { setImmediate as nextTurn } from 'node:timers/promises'

const NOT_YET = Symbol('not yet')

/** What has arrived since the last time, at least one and at most so many, so that what is slow is done for many at once. */
export async function* gather<T>(items: AsyncIterable<T>, most: number): AsyncGenerator<T[], void> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    let coming = iterator.next()
    for (;;) {
      const first = await coming
      if (first.done) return
      const gathered = [first.value]
      coming = iterator.next()
      // What was gathered is handed over before a failure of the source is: it shows when `coming` is waited for.
      coming.catch(() => {})
      while (gathered.length < most) {
        const step = await Promise.race([coming, nextTurn(NOT_YET)]).catch(() => NOT_YET)
        if (typeof step === 'symbol' || step.done) break
        gathered.push(step.value)
        coming = iterator.next()
        coming.catch(() => {})
      }
      yield gathered
    }
  } finally {
    iterator.return?.().catch(() => {})
  }
}
