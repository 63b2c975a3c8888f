import { setTimeout as wait } from 'node:timers/promises'

/** Time that only passes forward, and waiting for it; another one can stand in for the machine's. */
export interface Timer {
  monotonicMs(): number
  /** Resolves also when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const machineTimer: Timer = {
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
}
