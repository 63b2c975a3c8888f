import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { BINARY_VENUES } from '../../venue-registry.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { isConditionId, oneVenue, VenueFilter, wholeNumber } from '../schemas/parameters.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor, wrongCursor } from '../shared/cursor.ts'
import { EventEntry, eventEntryOf } from './event-entry.ts'

const MAX_MARKETS = 500

const EventMarket = z
  .object({
    market_id: z.string(),
    slug: z.string(),
    question: z.string(),
    label: z.string().describe('short name of the market within its event'),
    status: z.enum(MARKET_STATUSES),
    outcome_names: z.array(z.string()).describe('of UP and DOWN'),
    start_date: Instant.nullable(),
    end_date: Instant,
    resolved_outcome: z.enum(['UP', 'DOWN', 'SPLIT']).nullable().describe('null: not resolved yet'),
    resolved_at: Instant.nullable(),
  })
  .meta({ id: 'EventMarket' })

/** End and id of the last market of the page before. */
const Position = z.tuple([CursorTime, z.string().refine(isConditionId)])

export const getEvent = endpoint({
  method: 'GET',
  path: '/v1/events/{event}',
  name: 'get_event',
  group: 'Markets',
  summary: 'Get an event with its markets',
  description: 'All markets of the event, also ended ones, by their end.',
  access: { by: 'key', scope: 'live' },
  params: z.object({ event: z.string().min(1).max(300).describe('slug of the event, as `GET /v1/events` lists it') }),
  query: z.object({
    venue: VenueFilter,
    limit: wholeNumber(1, MAX_MARKETS).default(100).describe('markets per page'),
    cursor: Cursor.optional(),
  }),
  reply: EventEntry.omit({ markets: true, status: true })
    .extend({
      total_markets: z.int().describe('all markets of the event, on all pages'),
      markets: z.array(EventMarket),
      next_cursor: NextCursor,
    })
    .meta({ id: 'MarketEventDetails' }),
  errors: ['event_not_found'],
  table: { columns: Object.keys(EventMarket.shape), rows: ({ markets }) => markets, inRows: ['markets'] },

  async handle({ params, query, stores, nowMs, require }) {
    const slug = params.event
    const asked = oneVenue(query.venue)
    const venues = asked === undefined ? BINARY_VENUES.map(({ id }) => id) : [asked]
    const sizes = await stores.marketEvents.sizes(venues.map((venue) => ({ venue, slug })))
    const size = sizes.toSorted((one, other) => venues.indexOf(one.venue) - venues.indexOf(other.venue))[0]
    if (size === undefined) throw notFound(slug)
    const list = `event ${size.venue} ${slug}`
    const position = decodeCursor(query.cursor, list, Position)
    const after = position && { endsAtMs: position[0], id: position[1] }
    const found = await stores.marketEvents.marketsOf(size, { limit: query.limit + 1, after }, nowMs)
    const [first, ...others] = found.slice(0, query.limit)
    if (first === undefined) throw after === undefined ? notFound(slug) : wrongCursor()
    require({ category: first.category })
    const page: [StoredMarket, ...StoredMarket[]] = [first, ...others]
    const last = page.at(-1) ?? first
    const { markets: totalMarkets, status: _, ...event } = eventEntryOf(page, size)
    return {
      body: {
        ...event,
        total_markets: totalMarkets,
        markets: page.map(marketOf),
        next_cursor: found.length > page.length ? encodeCursor(list, [last.endsAtMs, last.id]) : null,
      },
    }
  },
})

function notFound(slug: string): ApiError {
  return new ApiError(
    'event_not_found',
    `No event has the slug ${JSON.stringify(slug)}. GET /v1/events lists events; an event of another venue needs the parameter venue.`,
  )
}

function marketOf(market: StoredMarket): z.output<typeof EventMarket> {
  const { resolution, startsAtMs } = market
  return {
    market_id: market.id,
    slug: market.slug,
    question: market.question,
    label: market.label,
    status: market.status,
    outcome_names: [...market.outcomeNames],
    start_date: startsAtMs === undefined ? null : instantOf(startsAtMs),
    end_date: instantOf(market.endsAtMs),
    resolved_outcome:
      resolution === undefined
        ? null
        : resolution.winner === undefined
          ? 'SPLIT'
          : resolution.winner === 0
            ? 'UP'
            : 'DOWN',
    resolved_at: resolution === undefined ? null : instantOf(resolution.resolvedAtMs),
  }
}
