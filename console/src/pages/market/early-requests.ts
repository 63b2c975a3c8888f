import type { QueryClient } from '@tanstack/react-query'
import { marketQuery } from '../../data/market-queries.ts'
import { mayAskEarly } from '../../data/session.ts'
import type { MarketTab } from './market-search.ts'
import { TAB_PARTS } from './tab-parts.ts'

/** What a market page asks for first is on its way while the scripts of the page are. Failures are shown by the page. */
export function requestMarketEarly(client: QueryClient, name: string, tab: MarketTab = 'live'): void {
  // The market comes first: a browser has six connections to a server, and the scripts of a tab are more than six files.
  void requestMarket(client, name, tab).catch(() => {})
  void TAB_PARTS[tab]().catch(() => {})
}

async function requestMarket(client: QueryClient, name: string, tab: MarketTab): Promise<void> {
  if (!(await mayAskEarly(client))) return
  const { market_id: id } = await client.ensureQueryData(marketQuery(name))
  if (tab !== 'history') return
  const { recordedQuery } = await import('../../data/history/history-queries.ts')
  await client.ensureQueryData(recordedQuery(id))
}
