import { infiniteQueryOptions } from '@tanstack/react-query'
import type { AccountEvents, InvoiceList } from './account-types.ts'
import { accountClient } from './clients.ts'
import { nextRequestMs } from './next-request.ts'
import { pollMs } from './queries.ts'
import { sessionRequest } from './session-request.ts'

/** Rows of one page; the next ones are fetched on request. */
const PAGE = 50

interface CursorPage {
  readonly next_cursor: string | null
}

const pages = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor: next }: CursorPage) => next ?? undefined,
}

export const EVENTS_PATH = '/v1/account/events'
export const INVOICES_PATH = '/v1/payments/invoices'
export const CREDITS_PATH = '/app/api/v1/credits'

export const eventsQuery = infiniteQueryOptions({
  queryKey: ['events'],
  queryFn: ({ pageParam }) => sessionRequest<AccountEvents>(pageAddress(EVENTS_PATH, pageParam)),
  ...pages,
  select: (data) => data.pages.flatMap(({ events }) => events),
})

export const invoicesQuery = infiniteQueryOptions({
  queryKey: ['invoices'],
  queryFn: ({ pageParam }) => sessionRequest<InvoiceList>(pageAddress(INVOICES_PATH, pageParam)),
  ...pages,
  select: (data) => data.pages.flatMap(({ invoices }) => invoices),
  refetchInterval: ({ state }) => {
    const invoices = (state.data?.pages ?? []).flatMap((page) => page.invoices)
    const times = invoices.map(({ status }) => pollMs(status)).filter((ms) => ms !== undefined)
    return nextRequestMs(state.error, times.length > 0 && Math.min(...times))
  },
})

export const creditsQuery = infiniteQueryOptions({
  queryKey: ['credits'],
  queryFn: ({ pageParam, signal }) =>
    accountClient.account.credits({ limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
  ...pages,
  select: (data) => ({ balance: data.pages[0]?.balance ?? 0, entries: data.pages.flatMap(({ entries }) => entries) }),
})

function pageAddress(path: string, cursor: string | undefined): string {
  const query = new URLSearchParams({ limit: String(PAGE), ...(cursor !== undefined && { cursor }) })
  return `${path}?${query}`
}
