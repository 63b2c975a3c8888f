import { setTimeout as sleep } from 'node:timers/promises'
import { type AccessChange, listenForAccessChanges } from '../stores/accounts/access-changes.ts'

export interface RevocationsDeps {
  readonly databaseUrl: string
  readonly gate: { apply(change: AccessChange): void }
  readonly onTrouble: (error: unknown) => void
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1_000

/** Lets the gate forget what is no longer so. A speed-up: what the gate remembers grows old by itself. */
export async function runRevocations(deps: RevocationsDeps, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  const onChange = (change: AccessChange): void => {
    pauseMs = FIRST_PAUSE_MS
    deps.gate.apply(change)
  }
  while (!signal.aborted) {
    try {
      await listenForAccessChanges({ url: deps.databaseUrl, onChange }, signal)
    } catch (error) {
      deps.onTrouble(error)
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }
}
