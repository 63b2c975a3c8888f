import type { Table } from '../endpoint.ts'
import { TokenSnapshot } from '../schemas/snapshot.ts'
import { MarketAsOf } from './market-as-of.ts'

const MARKET_COLUMNS = Object.keys(MarketAsOf.shape).filter((name) => !['up', 'down', 'gap', 'perp'].includes(name))
/** The market's own is as old as the moment asked for, the token's as old as its sample. */
const TOKEN_COLUMNS = Object.keys(TokenSnapshot.shape).filter(
  (name) => !MARKET_COLUMNS.includes(name) && name !== 'side',
)
const PERP_COLUMNS = ['perp_best_bid', 'perp_best_ask', 'perp_age_ms']

/** Two rows for each market, up and down, whether or not there is a book. */
export const asOfTable: Table<{ timestamp: string; markets: MarketAsOf[] }> = {
  columns: [...MARKET_COLUMNS, 'side', ...TOKEN_COLUMNS, ...PERP_COLUMNS],
  rows: ({ markets }) =>
    markets.flatMap(({ up, down, perp, ...market }) => {
      const perpCells = {
        perp_best_bid: perp?.best_bid,
        perp_best_ask: perp?.best_ask,
        perp_age_ms: perp?.age_ms,
      }
      return [
        { ...up, ...market, side: 'UP', ...perpCells },
        { ...down, ...market, side: 'DOWN', ...perpCells },
      ]
    }),
  envelope: ({ timestamp }) => ({ timestamp }),
}
