import type { FastifyInstance, FastifyReply } from 'fastify'
import { ALL_SERIES } from './catalogue/all-series.ts'
import type { KalshiEvent, KalshiMarket } from './kalshi-market.ts'
import type { KalshiWorld } from './kalshi-world.ts'
import { comboFilter, numberIn, pageOf, type Query, statusFilter, textIn, timeFilter } from './list-queries.ts'
import { eventObject, marketObject, seriesObject, tradeObject } from './market-objects.ts'

const MARKET_LIMITS = { usual: 100, most: 1000 }
const EVENT_LIMITS = { usual: 200, most: 200 }
export const NOT_FOUND = { error: { code: 'not_found', message: 'not found' } }
const CACHED = 'public, max-age=15'

/** Series, events, markets and trades. */
export function listingRoutes(app: FastifyInstance, world: KalshiWorld): void {
  app.get<{ Querystring: Query }>('/series', ({ query }, reply) => {
    const [category, tags] = [textIn(query, 'category'), textIn(query, 'tags')?.split(',')]
    const series = ALL_SERIES.filter(
      (each) =>
        (category === undefined || each.category === category) &&
        (tags === undefined || tags.some((tag) => each.tags.includes(tag))),
    )
    return cached(reply, { series: series.map(seriesObject) })
  })
  app.get<{ Params: { ticker: string } }>('/series/:ticker', ({ params }, reply) => {
    const series = ALL_SERIES.find(({ ticker }) => ticker === params.ticker)
    return series === undefined ? reply.code(404).send(NOT_FOUND) : { series: seriesObject(series) }
  })

  app.get<{ Querystring: Query }>('/events', ({ query }) => {
    const { page, cursor } = pageOf(eventsOf(world, query), query, ({ ticker }) => ticker, EVENT_LIMITS)
    const isNested = textIn(query, 'with_nested_markets') === 'true'
    return { events: page.map((event) => (isNested ? withMarkets(event) : eventObject(event))), cursor }
  })
  app.get<{ Params: { ticker: string }; Querystring: Query }>('/events/:ticker', ({ params, query }, reply) => {
    const event = world.events.get(params.ticker)
    if (event === undefined) return reply.code(404).send(NOT_FOUND)
    if (textIn(query, 'with_nested_markets') === 'true') return { event: withMarkets(event), markets: [] }
    return { event: eventObject(event), markets: event.markets.map(marketObject) }
  })

  app.get<{ Querystring: Query }>('/markets', ({ query }, reply) => {
    const { page, cursor } = pageOf(marketsOf(world, query), query, ({ ticker }) => ticker, MARKET_LIMITS)
    return cached(reply, { markets: page.map(marketObject), cursor })
  })
  app.get<{ Params: { ticker: string } }>('/markets/:ticker', ({ params }, reply) => {
    const market = world.markets.get(params.ticker)
    return market === undefined ? reply.code(404).send(NOT_FOUND) : { market: marketObject(market) }
  })
  app.get<{ Querystring: Query }>('/markets/trades', ({ query }) => {
    const [ticker, min = 0, max] = [textIn(query, 'ticker'), numberIn(query, 'min_ts'), numberIn(query, 'max_ts')]
    const trades = world.trades
      .filter(
        ({ market, atMs }) =>
          (ticker === undefined || market.ticker === ticker) &&
          atMs >= min * 1000 &&
          (max === undefined || atMs <= max * 1000),
      )
      .reverse()
    const { page, cursor } = pageOf(trades, query, ({ id }) => id, MARKET_LIMITS)
    return { trades: page.map(tradeObject), cursor }
  })
}

function cached(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('cache-control', CACHED).send(body)
}

function withMarkets(event: KalshiEvent): object {
  return { ...eventObject(event), markets: event.markets.map(marketObject) }
}

/** Combinations have their own list. */
function eventsOf(world: KalshiWorld, query: Query): KalshiEvent[] {
  const hasStatus = statusFilter(query)
  const series = textIn(query, 'series_ticker')
  const tickers = textIn(query, 'tickers')?.split(',')
  const minCloseMs = (numberIn(query, 'min_close_ts') ?? 0) * 1000
  return [...world.events.values()]
    .filter(
      (event) =>
        !event.series.isCombo &&
        (series === undefined || event.series.facts.ticker === series) &&
        (tickers === undefined || tickers.includes(event.ticker)) &&
        event.closeMs >= minCloseMs &&
        event.markets.some(hasStatus),
    )
    .reverse()
}

/** The newest first. */
function marketsOf(world: KalshiWorld, query: Query): KalshiMarket[] {
  const filters = [statusFilter(query), timeFilter(query), comboFilter(query)]
  const [series, event] = [textIn(query, 'series_ticker'), textIn(query, 'event_ticker')]
  const tickers = textIn(query, 'tickers')?.split(',')
  const named = tickers?.flatMap((ticker) => world.markets.get(ticker) ?? [])
  return (named ?? [...world.markets.values()].reverse()).filter(
    (market) =>
      (series === undefined || market.event.series.facts.ticker === series) &&
      (event === undefined || market.event.ticker === event) &&
      filters.every((fits) => fits(market)),
  )
}
