import { useState } from 'react'
import { useSession } from '../data/session.ts'

/** Counts how often another account has followed the first one. Nobody is an account here, too. */
export function useAccountChanges(): number {
  const session = useSession()
  const [seen, setSeen] = useState<{ readonly accountId: string | undefined; readonly changes: number }>({
    accountId: undefined,
    changes: 0,
  })
  if (session === undefined) return seen.changes
  const accountId = 'accountId' in session ? session.accountId : ''
  if (accountId !== seen.accountId) {
    setSeen({ accountId, changes: seen.accountId === undefined ? 0 : seen.changes + 1 })
  }
  return seen.changes
}
