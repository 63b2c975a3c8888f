import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ApiKey, ConsoleBudget, Invoice, InvoiceState, Subscription, UserTier } from './account-types.ts'
import { accountClient, publicClient } from './clients.ts'
import { nextRequestMs } from './next-request.ts'
import { isPresent } from './presence.ts'
import { sessionRequest } from './session-request.ts'

const HEALTH_MS = 15_000
const OUTAGE_MS = 3_000
const STATUS_MS = 30_000
const FIGURES_MS = 10_000
const KEYS_MS = 20_000
const CREATING_MS = 1_000
const PAYING_MS = 5_000
const CONFIRMING_MS = 15_000

/** What works now; asked by every page. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => publicClient.public.health(),
  refetchInterval: ({ state: { data, error } }) =>
    nextRequestMs(error, data === undefined || data.status === 'ok' ? HEALTH_MS : OUTAGE_MS),
})

/** The state with its past. It is asked for rarely, and sooner when the present state is another one. */
export function useStatus() {
  const { data: health } = useQuery(healthQuery)
  return useQuery({
    queryKey: ['status'],
    queryFn: () => publicClient.public.status(),
    refetchInterval: ({ state: { data, error } }) =>
      nextRequestMs(error, health === undefined || data?.status === health.status ? STATUS_MS : OUTAGE_MS),
  })
}

export const publicStatsQuery = queryOptions({
  queryKey: ['public-stats'],
  queryFn: () => publicClient.public.stats(),
  refetchInterval: ({ state: { error } }) => nextRequestMs(error, FIGURES_MS),
})

export const packsQuery = queryOptions({
  queryKey: ['packs'],
  queryFn: () => publicClient.public.packs(),
})

/** The coins of the payment processor. */
export const currenciesQuery = queryOptions({
  queryKey: ['currencies'],
  queryFn: () => publicClient.public.currencies(),
})

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => sessionRequest<readonly ApiKey[]>('/v1/api-keys'),
  // The use of a key is visible within a minute.
  refetchInterval: ({ state: { error } }) => nextRequestMs(error, isPresent(Date.now()) && KEYS_MS),
})

export const subscriptionQuery = queryOptions({
  queryKey: ['subscription'],
  queryFn: () => sessionRequest<Subscription>('/v1/payments/subscription'),
})

export const userTierQuery = queryOptions({
  queryKey: ['user-tier'],
  queryFn: () => sessionRequest<UserTier>('/v1/user/tier'),
})

export const budgetQuery = queryOptions({
  queryKey: ['budget'],
  queryFn: () => sessionRequest<ConsoleBudget>('/app/api/budget'),
})

export function invoiceQuery(id: string) {
  return queryOptions({
    queryKey: ['invoice', id],
    queryFn: () => sessionRequest<Invoice>(`/v1/payments/invoices/${encodeURIComponent(id)}`),
    refetchInterval: ({ state: { data, error } }) =>
      nextRequestMs(error, (data !== undefined && pollMs(data.status)) ?? false),
    refetchOnWindowFocus: 'always',
  })
}

export function usageQuery(days: number, group: 'key' | 'endpoint') {
  const to = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const from = new Date(Date.parse(to) - days * 86_400_000).toISOString().slice(0, 10)
  return queryOptions({
    queryKey: ['usage', from, to, group],
    queryFn: () => accountClient.account.usage({ from, to, group_by: `day,${group}` }),
  })
}

/** Undefined for an invoice that does not change any more. */
export function pollMs(status: InvoiceState): number | undefined {
  if (status === 'creating') return CREATING_MS
  if (status === 'open' || status === 'underpaid') return PAYING_MS
  return status === 'confirming' ? CONFIRMING_MS : undefined
}
