import type { FastifyInstance } from 'fastify'
import type { Switchboard } from '../faults/switchboard.ts'
import { LEAGUES } from '../world/catalogue/sports.ts'
import type { Market, VenueEvent } from '../world/market.ts'
import type { World } from '../world/world.ts'
import { breakCatalogue } from './broken-catalogue.ts'
import { deadEvents } from './dead-events.ts'
import {
  BadQuery,
  eventMatches,
  firstOf,
  marketMatches,
  type Query,
  seriesRecurrence,
  wholeNumber,
} from './gamma-filters.ts'
import {
  asEncodedText,
  asRealArray,
  gammaEvent,
  gammaMarket,
  gammaSeries,
  shownRecurrence,
  type WriteList,
} from './gamma-objects.ts'
import { keysetPage, offsetPage } from './gamma-pages.ts'

const SCHEMAS = 'https://gamma-api.polymarket.com/schemas'

/** Discovery: events, markets, tags, series, leagues and search, under one prefix. */
export function gammaRoutes(app: FastifyInstance, world: World, faults: Switchboard): void {
  const dead = deadEvents(world.nowMs)
  breakCatalogue(app, world)
  const writeList = (): WriteList => (faults.strike('lists-as-arrays', { feed: 'gamma' }) ? asRealArray : asEncodedText)

  const events = (query: Query) =>
    [...dead, ...world.events]
      .filter((event) => eventMatches(event, query, world))
      .map((event) => ({ id: event.id, endDate: event.endMs, startDate: event.createdAtMs, volume24hr: 0, event }))
  const markets = (query: Query) =>
    [...world.markets.values()]
      .filter((market) => marketMatches(market, query))
      .map((market) => ({
        id: market.gammaId,
        endDate: market.event.endMs,
        startDate: market.listedAtMs,
        volume24hr: market.volume,
        market,
      }))
  const showEvent = (event: VenueEvent) => gammaEvent(event, world, writeList())
  const showMarket = (market: Market) => gammaMarket(market, writeList())

  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof BadQuery)
      return reply.code(error.status).send({ type: 'validation error', error: error.message })
    throw error
  })

  app.get<{ Querystring: Query }>('/events/keyset', ({ query }) => {
    const page = keysetPage('events', events(query), query, faults)
    return {
      $schema: `${SCHEMAS}/EventsKeysetListResponse.json`,
      events: page.items.map(({ event }) => showEvent(event)),
      ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
    }
  })
  app.get<{ Querystring: Query }>('/markets/keyset', ({ query }) => {
    const page = keysetPage('markets', markets(query), query, faults)
    return {
      $schema: `${SCHEMAS}/MarketsKeysetListResponse.json`,
      markets: page.items.map(({ market }) => showMarket(market)),
      ...(page.nextCursor !== undefined && { next_cursor: page.nextCursor }),
    }
  })
  app.get<{ Querystring: Query }>('/events', ({ query }) =>
    offsetPage(events(query), query).map(({ event }) => showEvent(event)),
  )
  app.get<{ Querystring: Query }>('/markets', ({ query }) =>
    offsetPage(markets(query), query).map(({ market }) => showMarket(market)),
  )

  const oneEvent = (event: VenueEvent | undefined) =>
    event === undefined ? undefined : { $schema: `${SCHEMAS}/Event.json`, ...showEvent(event) }
  const oneMarket = (market: Market | undefined) =>
    market === undefined ? undefined : { $schema: `${SCHEMAS}/Market.json`, ...showMarket(market) }
  const notFound = { type: 'not found error', error: 'id not found' }

  app.get<{ Params: { id: string } }>('/events/:id', ({ params }, reply) => {
    return oneEvent(world.events.find(({ id }) => id === params.id)) ?? reply.code(404).send(notFound)
  })
  app.get<{ Params: { slug: string } }>('/events/slug/:slug', ({ params }, reply) => {
    const wanted = world.broken.has('polymarket.more-markets') ? params.slug.replace(/-more-markets$/, '') : params.slug
    return oneEvent(world.events.find(({ slug }) => slug === wanted)) ?? reply.code(404).send(notFound)
  })
  app.get<{ Params: { id: string } }>('/markets/:id', ({ params }, reply) => {
    return (
      oneMarket([...world.markets.values()].find(({ gammaId }) => gammaId === params.id)) ??
      reply.code(404).send(notFound)
    )
  })
  app.get<{ Params: { slug: string } }>('/markets/slug/:slug', ({ params }, reply) => {
    return (
      oneMarket([...world.markets.values()].find(({ draft }) => draft.slug === params.slug)) ??
      reply.code(404).send(notFound)
    )
  })

  app.get<{ Querystring: Query }>('/public-search', ({ query }) => {
    const words = (firstOf(query, 'q') ?? '').toLowerCase().split(/\s+/)
    const found = world.events.filter(
      ({ title, isHidden }) => !isHidden && words.every((word) => title.toLowerCase().includes(word)),
    )
    const shown = found.slice(0, wholeNumber(query, 'limit_per_type') ?? 10)
    return {
      events: shown.map(showEvent),
      pagination: { hasMore: found.length > shown.length, totalResults: found.length },
    }
  })

  const tags = () => [...new Map(world.events.flatMap((event) => event.tags).map((tag) => [tag.id, tag])).values()]
  app.get<{ Querystring: Query }>('/tags', ({ query }) =>
    tags().slice(0, Math.min(100, wholeNumber(query, 'limit') ?? 100)),
  )
  app.get<{ Params: { slug: string } }>('/tags/slug/:slug', ({ params }, reply) => {
    return tags().find(({ slug }) => slug === params.slug) ?? reply.code(404).send(notFound)
  })
  app.get<{ Querystring: Query }>('/series', ({ query }) => {
    const slug = firstOf(query, 'slug')
    const recurrence = seriesRecurrence(query)
    const known = new Map(world.events.flatMap(({ series }) => (series === undefined ? [] : [[series.id, series]])))
    return [...known.values()]
      .filter((series) => slug === undefined || series.slug === slug)
      .filter((series) => recurrence === undefined || shownRecurrence(series, world) === recurrence)
      .slice(0, 50)
      .map((series) => gammaSeries(series, world))
  })
  app.get('/sports', () =>
    LEAGUES.map(({ sport, series, tag, source }) => ({
      sport,
      resolution: source,
      ordering: 'away',
      tags: `1,${tag.id},100639`,
      series: world.broken.has('polymarket.sports-series') ? null : series.id,
    })),
  )
}
