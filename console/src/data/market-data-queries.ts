import type { ListSnapshotsDryRun } from '@bookreel/sdk'
import { queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'
import { sessionRequest } from './session-request.ts'

/** Rows of the table; a page costs the same whatever its length. */
export const SHOWN_ROWS = 100
const FRESH_MS = 60_000

export function marketSummaryQuery(id: string) {
  return queryOptions({
    queryKey: ['market-summary', id],
    queryFn: ({ signal }) => accountClient.markets.summary(id, { signal }),
    staleTime: FRESH_MS,
  })
}

export function marketHoursQuery(id: string) {
  return queryOptions({
    queryKey: ['market-hours', id],
    queryFn: ({ signal }) => accountClient.history.marketCoverage(id, { by: 'hour' }, { signal }),
    staleTime: FRESH_MS,
  })
}

/** Credits of one page of rows; undefined when there are none. */
export function pagePriceQuery(id: string, side: 'UP' | 'DOWN') {
  return queryOptions({
    queryKey: ['page-price', id, side],
    queryFn: async ({ signal }) =>
      priceOfPage(await accountClient.snapshots.listDryRun(id, { limit: SHOWN_ROWS, side }, { signal })),
    staleTime: FRESH_MS,
  })
}

export function priceOfPage({ calls, credits }: Pick<ListSnapshotsDryRun, 'calls' | 'credits'>): number | null {
  return calls === 0 ? null : credits / calls
}

export function hourReportQuery(id: string, hour: string) {
  return queryOptions({
    queryKey: ['hour-report', id, hour],
    queryFn: ({ signal }) => accountClient.history.exportHourDryRun(id, { hour }, { signal }),
  })
}

interface OpenApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, ColumnSchema>> }>>
  }
}

interface ColumnSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
}

interface DataColumn {
  readonly name: string
  readonly type: string
  readonly meaning: string
}

/** The columns of snapshots, as the API document of this service describes them. */
export const dataColumnsQuery = queryOptions({
  queryKey: ['data-columns'],
  queryFn: async () => columnsOf(await sessionRequest<OpenApi>('/openapi.json')),
  staleTime: Number.POSITIVE_INFINITY,
})

export function columnsOf({ components }: OpenApi): DataColumn[] {
  return Object.entries(components.schemas.TokenSnapshot?.properties ?? {}).map(([name, { type, description }]) => ({
    name,
    type: [type ?? ''].flat().join(' or '),
    meaning: description ?? '',
  }))
}
