import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Invoice } from '../../data/account-types.ts'
import { subscriptionQuery, userTierQuery } from '../../data/queries.ts'

/** Tier and credits change when an invoice becomes paid while the page is open. */
export function useRefreshWhenPaid(invoices: readonly Invoice[] | undefined): void {
  const client = useQueryClient()
  const paid = invoices?.filter(({ status }) => status === 'paid').length
  const before = useRef(paid)
  useEffect(() => {
    const former = before.current
    before.current = paid
    if (former === undefined || paid === former) return
    for (const { queryKey } of [subscriptionQuery, userTierQuery]) void client.invalidateQueries({ queryKey })
  }, [client, paid])
}
