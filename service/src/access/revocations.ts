import { setTimeout as sleep } from 'node:timers/promises'
import { type AccessChange, listenForAccessChanges } from '../stores/accounts/access-changes.ts'

export interface RevocationsDeps {
  readonly databaseUrl: string
  readonly accessControl: { apply(change: AccessChange): void }
  readonly onTrouble: (error: unknown) => void
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1_000

/** Makes access control forget changed keys and accounts at once; without this they expire within seconds. */
export async function runRevocations(deps: RevocationsDeps, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  const onChange = (change: AccessChange): void => {
    pauseMs = FIRST_PAUSE_MS
    deps.accessControl.apply(change)
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
