import { z } from 'zod'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { endpoint } from '../endpoint.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { marketFilters, wantedMarkets, withoutScope } from '../shared/market-filters.ts'
import type { Stores } from '../stores.ts'
import { EventEntry, eventEntryOf, eventKeyOf } from './event-entry.ts'

const LIST = 'events'
const MAX_EVENTS = 500
const LISTED_STATUSES = MARKET_STATUSES.filter((status) => status !== 'expired')

type EventMarkets = readonly [StoredMarket, ...StoredMarket[]]

/** End of the market of the event that ends first, venue and slug. */
const Position = z.tuple([CursorTime, z.string(), z.string()])

export const listEvents = endpoint({
  method: 'GET',
  path: '/v1/events',
  name: 'list_events',
  group: 'Markets',
  summary: 'List events: groups of markets that the venue lists under one title',
  description:
    'Events with at least one market without a result that matches the filters; the event whose market ends first comes first. `GET /v1/events/{event}` lists the markets of an event, also after its end.',
  access: { by: 'key', scope: 'live', isExpensive: () => true },
  query: z.object({
    ...marketFilters,
    status: z
      .enum(LISTED_STATUSES)
      .optional()
      .describe(
        'only events with a market of this status; default: live and upcoming. settling: ended, not resolved yet',
      ),
    limit: wholeNumber(1, MAX_EVENTS).default(100).describe('events per page'),
    cursor: Cursor.optional(),
  }),
  reply: z
    .object({
      total_events: z.int().describe('events that match the filters, on all pages'),
      next_cursor: NextCursor,
      events: z.array(EventEntry),
    })
    .meta({ id: 'MarketEvents' }),
  errors: [],
  table: { columns: Object.keys(EventEntry.shape), rows: ({ events }) => events, inRows: ['events'] },

  async handle(request) {
    const { query, stores, nowMs } = request
    const { filter, leftOut, aside } = wantedMarkets(request)
    const { status, limit, cursor } = query
    const after = decodeCursor(cursor, `${LIST} ${JSON.stringify({ ...aside, status })}`, Position)
    const wanted = filter && { ...filter, ...(status !== undefined && { statuses: [status] }) }
    const catalogue = readyCatalogue(stores)
    const all = wanted === undefined ? [] : eventsOf(catalogue.list(wanted, nowMs))
    const rest = after === undefined ? all : all.filter((each) => isBehind(positionOf(each), after))
    const page = rest.slice(0, limit)
    const isHidden = () =>
      wanted !== undefined && leftOut.length > 0 && catalogue.list(withoutScope(wanted), nowMs).length > 0
    const last = page.at(-1)
    const next = last && rest.length > page.length
    return {
      body: {
        total_events: all.length,
        next_cursor: next ? encodeCursor(`${LIST} ${JSON.stringify({ ...aside, status })}`, positionOf(last)) : null,
        events: await entriesOf(stores, page),
      },
      aside: { ...aside, status, limit },
      ...(page.length === 0 && {
        emptyReason: all.length === 0 && isHidden() ? ('tier' as const) : ('no_match' as const),
      }),
    }
  },
})

/** In the order of their first markets, which are sorted by their end. */
function eventsOf(markets: readonly StoredMarket[]): EventMarkets[] {
  const events = new Map<string, [StoredMarket, ...StoredMarket[]]>()
  for (const market of markets) {
    const name = nameOf(market)
    const known = events.get(name)
    if (known === undefined) events.set(name, [market])
    else known.push(market)
  }
  return [...events.values()].sort((one, other) => compare(positionOf(one), positionOf(other)))
}

async function entriesOf(
  { marketEvents }: Pick<Stores, 'marketEvents'>,
  page: readonly EventMarkets[],
): Promise<EventEntry[]> {
  const sizes = await marketEvents.sizes(page.map(([first]) => eventKeyOf(first)))
  const bySlug = new Map(sizes.map((size) => [`${size.venue} ${size.slug}`, size]))
  return page.map((markets) => eventEntryOf(markets, bySlug.get(nameOf(markets[0])) ?? sizeOf(markets)))
}

/** For an event that PostgreSQL does not have yet. */
function sizeOf(markets: EventMarkets) {
  return { markets: markets.length, endsAtMs: Math.max(...markets.map(({ endsAtMs }) => endsAtMs)) }
}

function nameOf({ venue, eventSlug }: StoredMarket): string {
  return `${venue} ${eventSlug}`
}

function positionOf([first]: EventMarkets): z.output<typeof Position> {
  return [first.endsAtMs, first.venue, first.eventSlug]
}

function isBehind(position: z.output<typeof Position>, after: z.output<typeof Position>): boolean {
  return compare(position, after) > 0
}

function compare(
  [end, ...names]: z.output<typeof Position>,
  [otherEnd, ...otherNames]: z.output<typeof Position>,
): number {
  if (end !== otherEnd) return end - otherEnd
  const [name, otherName] = [names.join(' '), otherNames.join(' ')]
  return name === otherName ? 0 : name < otherName ? -1 : 1
}
