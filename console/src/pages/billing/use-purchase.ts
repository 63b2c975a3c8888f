import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Invoice } from '../../data/account-types.ts'
import { invoicesQuery } from '../../data/list-queries.ts'
import { sessionRequest } from '../../data/session-request.ts'

interface Purchase {
  readonly pack: string
  /** Without a coin, the payer chooses it on the payment page. */
  readonly currency?: string
}

/** Creates an invoice for a pack and opens its page. */
export function usePurchase(): UseMutationResult<Invoice, Error, Purchase> {
  const client = useQueryClient()
  const navigate = useNavigate()
  // A repeated click, or one after a lost answer, gets the same invoice; with another coin it is another purchase.
  const purchaseId = useRef(crypto.randomUUID())
  return useMutation({
    mutationFn: (purchase: Purchase) => {
      const id = `${purchaseId.current}-${purchase.currency ?? 'any'}`
      return sessionRequest<Invoice>('/v1/payments/create-invoice', 'POST', purchase, id)
    },
    onSuccess: ({ invoiceId }) => {
      purchaseId.current = crypto.randomUUID()
      return navigate({ to: '/billing/$invoice', params: { invoice: invoiceId } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: invoicesQuery.queryKey }),
  })
}
