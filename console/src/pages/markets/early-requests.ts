import type { QueryClient } from '@tanstack/react-query'
import { liveMarketsQuery, recordedMarketsQuery } from '../../data/catalogue-queries.ts'
import { mayAskEarly } from '../../data/session.ts'
import { historyParameters, liveParameters, type MarketsSearch } from './markets-search.ts'

/** The first list is on its way while the script of the page is. A failure is shown by the page. */
export function requestListEarly(client: QueryClient, search: MarketsSearch): void {
  void requestList(client, search).catch(() => {})
}

async function requestList(client: QueryClient, search: MarketsSearch): Promise<void> {
  if (!(await mayAskEarly(client))) return
  if (search.view === 'ever') await client.prefetchQuery(recordedMarketsQuery(historyParameters(search)))
  else await client.prefetchQuery(liveMarketsQuery(liveParameters(search)))
}
