import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Switchboard } from '../faults/switchboard.ts'
import { PRICE_ONE, priceText } from '../world/book.ts'
import type { Market } from '../world/market.ts'
import type { World } from '../world/world.ts'
import { type Outcome, restBookText } from './book-text.ts'
import { hashRule } from './hash-rule.ts'

interface TokenQuery {
  token_id?: string
  side?: string
}

const NO_BOOK = { error: 'No orderbook exists for the requested token id' }
const MAX_BOOKS = 500
const HOUR_MS = 3_600_000

/** Read routes of the order book service. Unknown, closed and not yet listed tokens all give 404. */
export function clobRoutes(app: FastifyInstance, world: World, faults: Switchboard): void {
  const staleBooks = new Map<string, string>()
  if (world.broken.has('polymarket.clock'))
    app.addHook('onSend', async (_request, reply) => {
      reply.header('date', new Date(world.nowMs - HOUR_MS).toUTCString())
    })

  function bookText(token: string): string | undefined {
    const known = world.tokens.get(token)
    if (known === undefined || known.market.phase !== 'trading') return undefined
    const { market, outcome } = known
    const occasion = { feed: 'clob', market: market.conditionId } as const
    if (faults.strike('book-404', occasion)) return undefined
    const offsetMs = faults.find('clock-offset', { feed: 'clob' })?.options.ms ?? 0
    const text = restBookText(market, outcome, market.changedAtMs + offsetMs, hashRule(faults))
    if (faults.strike('ghost-book', occasion)) return ghostOf(text)
    if (!faults.find('stale-book', occasion)) {
      staleBooks.delete(token)
      return text
    }
    const stale = staleBooks.get(token)
    if (stale === undefined) staleBooks.set(token, text)
    else faults.strike('stale-book', occasion)
    return stale ?? text
  }

  /** Handles a request for a token with a book, or replies with an error. */
  function withToken(
    query: TokenQuery,
    reply: FastifyReply,
    answer: (market: Market, outcome: Outcome) => unknown,
  ): unknown {
    if (query.token_id === undefined || query.token_id === '')
      return reply.code(400).send({ error: 'Invalid token id' })
    const known = world.tokens.get(query.token_id)
    if (known === undefined || known.market.phase !== 'trading') return reply.code(404).send(NO_BOOK)
    return answer(known.market, known.outcome)
  }

  app.get<{ Querystring: TokenQuery }>('/book', ({ query }, reply) =>
    withToken(query, reply, () => {
      const text = bookText(query.token_id ?? '')
      if (text === undefined) return reply.code(404).send(NO_BOOK)
      return reply.type('application/json').send(`${text}\n`)
    }),
  )
  app.post<{ Body: { token_id?: string }[] }>('/books', ({ body }, reply) => {
    if (!Array.isArray(body)) return reply.code(400).send({ error: 'Invalid payload' })
    const isKnown = ({ token_id: token }: { token_id?: string }): boolean => world.tokens.has(token ?? '')
    if (world.broken.has('polymarket.rest-unknown-token') && !body.every(isKnown))
      return reply.code(400).send({ error: 'Invalid token id' })
    if (body.length > MAX_BOOKS) return reply.code(400).send({ error: 'Payload exceeds the limit' })
    const books = body.flatMap(({ token_id: token }) => bookText(token ?? '') ?? [])
    return reply.type('application/json').send(`[${books.join(',')}]\n`)
  })

  const topOfBook = (market: Market, outcome: Outcome) => {
    const { bestBid, bestAsk } = market.book
    return outcome === 0 ? { bid: bestBid, ask: bestAsk } : { bid: PRICE_ONE - bestAsk, ask: PRICE_ONE - bestBid }
  }
  app.get<{ Querystring: TokenQuery }>('/price', ({ query }, reply) =>
    withToken(query, reply, (market, outcome) => {
      const { bid, ask } = topOfBook(market, outcome)
      return { price: priceText(query.side === 'SELL' ? ask : bid) }
    }),
  )
  app.get<{ Querystring: TokenQuery }>('/midpoint', ({ query }, reply) =>
    withToken(query, reply, (market, outcome) => {
      const { bid, ask } = topOfBook(market, outcome)
      return { mid: String((bid + ask) / 2 / PRICE_ONE) }
    }),
  )
  app.get<{ Querystring: TokenQuery }>('/spread', ({ query }, reply) =>
    withToken(query, reply, (market, outcome) => {
      const { bid, ask } = topOfBook(market, outcome)
      return { spread: priceText(ask - bid) }
    }),
  )
  app.get<{ Querystring: TokenQuery }>('/last-trade-price', ({ query }, reply) =>
    withToken(query, reply, (market) => ({ price: market.lastTradeText, side: market.lastTrade?.side ?? '' })),
  )
  app.get<{ Querystring: TokenQuery }>('/tick-size', ({ query }, reply) =>
    withToken(query, reply, (market) => ({ minimum_tick_size: market.tickSize / PRICE_ONE })),
  )
  app.get<{ Querystring: TokenQuery }>('/neg-risk', ({ query }, reply) =>
    withToken(query, reply, (market) => ({ neg_risk: market.event.negRisk })),
  )
  app.get('/time', (_request, reply) => reply.type('application/json').send(String(Math.floor(world.nowMs / 1000))))
  app.get('/version', () => ({ version: 2 }))

  const marketOf = (condition: string): Market | undefined => {
    const market = world.markets.get(condition)
    return market !== undefined && market.listedAtMs <= world.nowMs ? market : undefined
  }
  app.get<{ Params: { condition: string } }>('/clob-markets/:condition', ({ params }, reply) => {
    const market = marketOf(params.condition)
    return market === undefined ? reply.code(404).send({ error: 'market not found' }) : shortMarket(market)
  })
  app.get<{ Params: { condition: string } }>('/markets/:condition', ({ params }, reply) => {
    const market = marketOf(params.condition)
    return market === undefined
      ? reply.code(404).send({ error: 'market not found' })
      : longMarket(market, world.broken.has('polymarket.result-in-clob'))
  })
}

/** A wrong book: one order at each end of the price range, nothing between. */
function ghostOf(text: string): string {
  return JSON.stringify({
    ...JSON.parse(text),
    bids: [{ price: '0.01', size: '1000' }],
    asks: [{ price: '0.99', size: '1000' }],
  })
}

function shortMarket(market: Market): object {
  return {
    r: { mi: 50, ma: 4.5, moas: 30 },
    t: market.tokenIds.map((token, index) => ({ t: token, o: market.draft.outcomes[index] })),
    c: market.conditionId,
    mos: 5,
    mts: market.tickSize / PRICE_ONE,
    mbf: 1000,
    tbf: 1000,
    ao: market.phase === 'trading',
    aot: new Date(market.listedAtMs).toISOString().replace(/\.\d+/, ''),
    itode: true,
    fd: { r: 0.07, e: 1, to: true },
    v: market.version,
  }
}

function longMarket(market: Market, isWinnerHidden: boolean): object {
  return {
    condition_id: market.conditionId,
    question_id: market.questionId,
    question: market.draft.question,
    market_slug: market.draft.slug,
    end_date_iso: new Date(market.event.endMs).toISOString(),
    active: true,
    closed: market.phase === 'resolved',
    accepting_orders: market.phase === 'trading',
    minimum_order_size: 5,
    minimum_tick_size: market.tickSize / PRICE_ONE,
    neg_risk: market.event.negRisk,
    tokens: market.tokenIds.map((token, index) => ({
      token_id: token,
      outcome: market.draft.outcomes[index],
      price: index === 0 ? market.book.bestBid / PRICE_ONE : 1 - market.book.bestAsk / PRICE_ONE,
      winner: !isWinnerHidden && market.winner === index,
    })),
  }
}
