import type { QueryClient } from '@tanstack/react-query'
import { marketQuery } from '../../data/market-queries.ts'
import { sessionQuery } from '../../data/session.ts'
import type { MarketTab } from './market-search.ts'
import { TAB_PARTS } from './tab-parts.ts'

/** What a market page asks for first is on its way while the scripts of the page are. Failures are shown by the page. */
export function requestEarly(client: QueryClient, name: string, tab: MarketTab = 'live'): void {
  void TAB_PARTS[tab]().catch(() => {})
  void requestMarket(client, name, tab).catch(() => {})
}

async function requestMarket(client: QueryClient, name: string, tab: MarketTab): Promise<void> {
  const { state } = await client.ensureQueryData(sessionQuery)
  if (state !== 'in') return
  const { market_id: id } = await client.ensureQueryData(marketQuery(name))
  if (tab !== 'history') return
  const { recordedQuery } = await import('../../data/history/history-queries.ts')
  await client.ensureQueryData(recordedQuery(id))
}
