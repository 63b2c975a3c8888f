import { AsyncLocalStorage } from 'node:async_hooks'

/** Aborts when the caller for whom the current work is done no longer waits for it. */
const signals = new AsyncLocalStorage<AbortSignal | undefined>()

/** Runs work for one caller: its queries to ClickHouse and its expensive ones to PostgreSQL end when the signal aborts. */
export function forCaller<T>(signal: AbortSignal | undefined, work: () => T): T {
  return signals.run(signal, work)
}

/** Runs work that others use too, or that goes on: it does not end when the caller who has started it leaves. */
export function forEverybody<T>(work: () => T): T {
  return signals.run(undefined, work)
}

export function callerSignal(): AbortSignal | undefined {
  return signals.getStore()
}
