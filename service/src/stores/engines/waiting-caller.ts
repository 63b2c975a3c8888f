import { AsyncLocalStorage } from 'node:async_hooks'

/** For whom the current work is done. */
interface WaitingCaller {
  /** In whose turn it reads: an account, or one of the two below. */
  readonly account: string
  /** Aborts when the caller no longer waits for it. */
  readonly signal: AbortSignal | undefined
}

/** The process itself: what it keeps for all. */
export const EVERYBODY = 'everybody'
/** All callers without a key or session together, so that many addresses get no more turns than one account. */
export const ANONYMOUS = 'anonymous'

const OWN_WORK: WaitingCaller = { account: EVERYBODY, signal: undefined }
const callers = new AsyncLocalStorage<WaitingCaller>()

/**
 * Runs work for a caller; what is not named stays as it was. Its queries to ClickHouse and its expensive ones to
 * PostgreSQL end when the signal aborts; without a signal they go on when the caller leaves.
 */
export function forCaller<T>(changes: Partial<WaitingCaller>, work: () => T): T {
  return callers.run({ ...currentCaller(), ...changes }, work)
}

/** Runs work that all accounts use: it delays none of them, and does not end when the caller who has started it leaves. */
export function forEverybody<T>(work: () => T): T {
  return callers.run(OWN_WORK, work)
}

export function currentCaller(): WaitingCaller {
  return callers.getStore() ?? OWN_WORK
}
