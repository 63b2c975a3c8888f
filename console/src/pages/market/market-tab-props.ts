import type { MarketDetail } from '../../data/market-queries.ts'
import type { MarketSide } from './market-search.ts'

/** What every tab of a market page gets. */
export interface MarketTabProps {
  readonly market: MarketDetail
  readonly side: MarketSide
}
