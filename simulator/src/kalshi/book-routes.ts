import type { FastifyInstance } from 'fastify'
import type { Switchboard } from '../faults/switchboard.ts'
import { bidTexts } from './book-frames.ts'
import type { KalshiWorld } from './kalshi-world.ts'
import { BadQuery, numberIn, type Query, valuesIn } from './list-queries.ts'

const MOST_BOOKS = 100
const MOST_LEVELS = 100
const EMPTY = '{"no_dollars":[],"yes_dollars":[]}'
const GHOST = '{"no_dollars":[["0.0100","1000.00"]],"yes_dollars":[["0.0100","1000.00"]]}'

/** Order books, which have neither a time nor a number. */
export function bookRoutes(app: FastifyInstance, world: KalshiWorld, faults: Switchboard): void {
  /** What the fault `stale-book` keeps sending. */
  const staleBooks = new Map<string, string>()

  /** An unknown market has an empty book. */
  function bookText(ticker: string, depth?: number): string {
    const market = world.markets.get(ticker)
    if (market === undefined) return EMPTY
    const { yes, no } = bidTexts(market, depth)
    const text = `{"no_dollars":${no},"yes_dollars":${yes}}`
    return faults.isQuiet ? text : faultyText(ticker, text)
  }

  function faultyText(ticker: string, text: string): string {
    const occasion = { feed: 'kalshi', market: ticker } as const
    if (faults.strike('ghost-book', occasion)) return GHOST
    if (!faults.find('stale-book', occasion)) {
      staleBooks.delete(ticker)
      return text
    }
    const stale = staleBooks.get(ticker)
    if (stale === undefined) staleBooks.set(ticker, text)
    else faults.strike('stale-book', occasion)
    return stale ?? text
  }

  app.get<{ Params: { ticker: string }; Querystring: Query }>(
    '/markets/:ticker/orderbook',
    ({ params, query }, reply) => {
      const depth = numberIn(query, 'depth', { most: MOST_LEVELS })
      const text = bookText(params.ticker, depth === 0 ? undefined : depth)
      return reply.type('application/json').send(`{"orderbook_fp":${text}}`)
    },
  )
  app.get<{ Querystring: Query }>('/markets/orderbooks', ({ query }, reply) => {
    const tickers = valuesIn(query, 'tickers')
    if (tickers.length === 0 || tickers.length > MOST_BOOKS)
      throw new BadQuery(`tickers must be given 1 to ${MOST_BOOKS} times, got ${tickers.length}`)
    const books = tickers.map((ticker) => `{"ticker":${JSON.stringify(ticker)},"orderbook_fp":${bookText(ticker)}}`)
    return reply.type('application/json').send(`{"orderbooks":[${books.join(',')}]}`)
  })
}
