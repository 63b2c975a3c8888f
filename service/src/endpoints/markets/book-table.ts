import type { z } from 'zod'
import type { Table } from '../endpoint.ts'
import { TokenBook } from '../schemas/token-book.ts'
import type { MarketOrderbook } from './live-book.ts'

/** Two rows, up and down, each with what is known of the market before it. */
export function bookTable<Reply extends MarketOrderbook>(reply: z.ZodObject): Table<Reply> {
  const ofMarket = Object.keys(reply.shape).filter((name) => name !== 'up' && name !== 'down')
  return {
    columns: ['side', ...ofMarket, ...Object.keys(TokenBook.shape)],
    rows: ({ up, down, ...market }) => [
      { side: 'UP', ...market, ...up },
      { side: 'DOWN', ...market, ...down },
    ],
  }
}
