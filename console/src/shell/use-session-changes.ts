import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { sessionQuery, useSession } from '../data/session.ts'
import { listenToTabs, tellTabs } from '../data/tab-channel.ts'

/** After a new sign-in everything is fetched again; nothing of another account stays in memory. */
export function useSessionChanges(): void {
  const client = useQueryClient()
  const session = useSession()
  const before = useRef(session)
  useEffect(() => {
    const former = before.current
    before.current = session
    if (former === session || session?.state !== 'in' || former === undefined) return
    const isOther = 'accountId' in former && former.accountId !== session.accountId
    const others = (key: readonly unknown[]): boolean => key[0] !== sessionQuery.queryKey[0]
    const filter = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => others(queryKey) }
    if (isOther) void client.resetQueries(filter)
    else if (former.state !== 'in') void client.invalidateQueries(filter)
  }, [client, session])
  useOtherTabs(session !== undefined && 'accountId' in session ? session.accountId : undefined)
}

/** All tabs have one cookie, so a sign-in as somebody else in one of them changes whom the others act for. */
function useOtherTabs(accountId: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    if (accountId !== undefined) tellTabs({ kind: 'account', accountId })
    return listenToTabs((message) => {
      if (message.kind === 'account' && message.accountId !== accountId)
        void client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    })
  }, [client, accountId])
}
