import { useEffect } from 'react'
import type { MarketDetail } from '../../data/market-queries.ts'
import { useSignedIn } from '../../data/session.ts'
import { noteViewed } from '../../data/viewed-markets.ts'

/** The start page lists the markets that were opened last. */
export function useViewed({ market_id: id, slug, question }: MarketDetail): void {
  const accountId = useSignedIn()?.accountId
  useEffect(() => {
    if (accountId !== undefined) noteViewed(accountId, { id, slug, question })
  }, [accountId, id, slug, question])
}
