import { setTimeout as sleep } from 'node:timers/promises'
import { type AccessChange, listenForAccessChanges } from '../stores/accounts/access-changes.ts'
import type { AccessMarks } from '../stores/accounts/access-marks.ts'

export interface RevocationsDeps {
  readonly databaseUrl: string
  readonly accessControl: { apply(change: AccessChange): void }
  /** Tells nodes that can't reach PostgreSQL. */
  readonly marks: Pick<AccessMarks, 'markChanged'>
  readonly onTrouble: (error: unknown) => void
}

const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 1_000

/** Removes changed keys and accounts from the cache of access control at once; otherwise they expire within seconds. */
export async function runRevocations(deps: RevocationsDeps, signal: AbortSignal): Promise<void> {
  let backoffMs = MIN_BACKOFF_MS
  const onChange = (change: AccessChange): void => {
    backoffMs = MIN_BACKOFF_MS
    deps.accessControl.apply(change)
    if (change.kind === 'account') deps.marks.markChanged(change.accountId).catch(deps.onTrouble)
  }
  while (!signal.aborted) {
    try {
      await listenForAccessChanges({ url: deps.databaseUrl, onChange }, signal)
    } catch (error) {
      deps.onTrouble(error)
      await sleep(backoffMs, undefined, { signal }).catch(() => {})
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
    }
  }
}
