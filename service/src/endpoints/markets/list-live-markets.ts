import { z } from 'zod'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import type { MarketFilter } from '../../stores/markets/markets.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { DEFAULT_VENUE } from '../../venue-registry.ts'
import { type Answer, type EndpointRequest, endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { isConditionId, wholeNumber } from '../schemas/parameters.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import { VenueName } from '../schemas/venue.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor } from '../shared/cursor.ts'
import { DeclaredMarket, declaredMarketOf } from '../shared/declared-market.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { type Result, ResultsFlag, requireShortList, resultMembers, resultsOf } from '../shared/listed-results.ts'
import { marketFilters, wantedMarkets, withoutScope } from '../shared/market-filters.ts'
import { expiresIn, isActive, isUpDown } from '../shared/market-flags.ts'
import type { Stores } from '../stores.ts'

const MAX_MARKETS = 5_000
/** Whatever is skipped is read, too. */
const MAX_OFFSET = 10_000

const LiveMarket = z
  .object({
    conditionId: z.string(),
    category: z.string(),
    subcategory: z.string().describe('coin, league, topic or city'),
    label: z.string(),
    tokenIds: z.tuple([z.string(), z.string()]),
    outcomes: z.tuple([z.string(), z.string()]).describe('UP and DOWN for crypto windows, else Yes and No'),
    configId: z.string().describe('id of the category plan'),
    slug: z.string(),
    expired: z.boolean(),
    expiresIn: z.int().describe('milliseconds until the end; 0 after it'),
    question: z.string(),
    eventTitle: z.string(),
    startDate: Instant.nullable().describe('start of the window or game'),
    endDate: Instant,
    timeframe: z.string(),
    status: z.enum(MARKET_STATUSES),
    outcomeNames: z.tuple([z.string(), z.string()]).describe('names of the outcomes at the venue'),
    venue: VenueName,
    resolvedOutcome: resultMembers.resolved_outcome,
    resolvedAt: resultMembers.resolved_at,
    priceToBeat: resultMembers.price_to_beat,
    priceToBeatSource: resultMembers.price_to_beat_source,
    priceToBeatAt: resultMembers.price_to_beat_at,
    settlementPrice: resultMembers.settlement_price,
    settlementPriceSource: resultMembers.settlement_price_source,
    settlementPriceAt: resultMembers.settlement_price_at,
  })
  .meta({ id: 'LiveMarket' })
type LiveMarket = z.infer<typeof LiveMarket>

const DeclaredMarketList = z.object({ markets: z.array(DeclaredMarket) }).meta({ id: 'DeclaredMarketList' })

/** 0 and the end of an open market, or 1 and 0 of one that is over; and its id. */
const Position = z.tuple([z.literal([0, 1]), CursorTime, z.string().refine(isConditionId)])
type Position = z.output<typeof Position>

const LiveMarketQuery = z.object({
  ...marketFilters,
  status: z
    .enum(MARKET_STATUSES)
    .optional()
    .describe(
      'default: live and upcoming. settling: ended, not resolved yet. expired: resolved, at most 5000 per request',
    ),
  limit: wholeNumber(1, MAX_MARKETS).optional().describe('applied after the filters'),
  offset: wholeNumber(0, MAX_OFFSET, '; use `cursor` with the `X-Next-Cursor` of a page to read further').optional(),
  cursor: Cursor.optional().describe('`X-Next-Cursor` of the previous page; all other parameters must stay the same'),
  results: ResultsFlag,
})
type Request = EndpointRequest<unknown, z.output<typeof LiveMarketQuery>, undefined>

/** Key of the cached JSON of all members except `expiresIn`, which changes every millisecond. */
const CACHED_JSON = Symbol('cached JSON')
type CachedEntry = Omit<LiveMarket, 'expiresIn'> & { [CACHED_JSON]?: string }

const cachedEntries = new WeakMap<StoredMarket, CachedEntry>()

export const listLiveMarkets = endpoint({
  method: 'GET',
  path: '/v1/markets/live',
  name: 'list_live_markets',
  group: 'Markets',
  summary: 'List live and upcoming markets',
  description:
    'Live and upcoming markets are sorted by their end, soonest first, so `crypto=BTC&timeframe=5m&limit=1` is the current window. Count and page are in the headers `X-Total-Count`, `X-Limit` and `X-Offset`, and the cursor of the next page is in `X-Next-Cursor`; `X-Tier-Scope-Filtered` lists the categories that the tier does not include.',
  // PostgreSQL lists the markets that are resolved, and ClickHouse has the prices of results.
  access: { by: 'key', scope: 'live', isExpensive: ({ status, results }) => status === 'expired' || results === true },
  query: LiveMarketQuery,
  reply: z.array(LiveMarket),
  errors: [],
  render: (entries) => `[${entries.map(textOf).join(',')}]`,

  async handle(request) {
    const { query, stores, nowMs } = request
    requireShortList(query.results, query.limit)
    const { markets, ...answer } = await listMarkets(request)
    const results = query.results ? await resultsOf(stores, markets) : undefined
    return { ...answer, body: markets.map((market) => entryOf(market, nowMs, results?.get(market.id))) }
  },

  declared: {
    reply: DeclaredMarketList,
    table: {
      columns: Object.keys(DeclaredMarket.omit({ venue: true }).shape),
      rows: ({ markets }) => markets,
      inRows: ['markets'],
    },
    async handle(request) {
      if (request.query.results) throw invalidParameter('results', 'must be left out with form=declared')
      const { markets, ...answer } = await listMarkets(request)
      const hasVenue = request.query.venue !== DEFAULT_VENUE
      return { ...answer, body: { markets: markets.map((market) => declaredMarketOf(market, hasVenue)) } }
    },
  },
})

/** The markets of an answer, and all of the answer that does not depend on its form. */
async function listMarkets(
  request: Request,
): Promise<Omit<Answer<never>, 'body'> & { markets: readonly StoredMarket[] }> {
  const { query, stores, nowMs } = request
  const { status, offset } = query
  const { filter, leftOut, aside } = wantedMarkets(request)
  const name = `live markets ${JSON.stringify({ ...aside, status })}`
  const after = decodeCursor(query.cursor, name, Position)
  if (after !== undefined && offset !== undefined) throw invalidParameter('offset', 'must be left out with `cursor`')
  const limit = status === 'expired' ? (query.limit ?? MAX_MARKETS) : query.limit
  const headers = { ...aside, status, limit, offset }
  if (filter === undefined) return { markets: [], aside: { totalCount: 0, ...headers }, emptyReason: 'no_match' }

  const wanted = { ...filter, ...(status !== undefined && { statuses: [status] }) }
  const page = { limit, offset: offset ?? 0, after }
  const { markets, totalCount, hasMore } = await (status === 'expired'
    ? listExpired(stores, wanted, { ...page, limit: limit ?? MAX_MARKETS }, nowMs)
    : listPresent(stores, wanted, page, nowMs))
  const isHidden = totalCount === 0 && leftOut.length > 0 && (await hasAny(stores, withoutScope(wanted), nowMs))
  const last = markets.at(-1)
  return {
    markets,
    aside: {
      totalCount,
      ...headers,
      nextCursor: last && hasMore ? encodeCursor(name, positionOf(last)) : undefined,
      catalogueAgeMs: nowMs - (stores.catalogue.refreshedAtMs ?? nowMs),
    },
    emptyReason: markets.length > 0 ? undefined : isHidden ? 'tier' : 'no_match',
  }
}

interface Page {
  readonly limit: number | undefined
  readonly offset: number
  readonly after: Position | undefined
}

interface Listed {
  readonly markets: readonly StoredMarket[]
  readonly totalCount: number
  readonly hasMore: boolean
}

async function listPresent(
  stores: Stores,
  filter: MarketFilter,
  { limit, offset, after }: Page,
  nowMs: number,
): Promise<Listed> {
  const found = readyCatalogue(stores).list(filter, nowMs)
  const ended = found.filter(({ status }) => !isActive(status)).sort((one, other) => (one.id < other.id ? -1 : 1))
  const markets = [...found.filter(({ status }) => isActive(status)), ...ended]
  const rest = after === undefined ? markets : markets.filter((market) => isBehind(positionOf(market), after))
  const page = rest.slice(offset, limit && offset + limit)
  return { markets: page, totalCount: markets.length, hasMore: rest.length > offset + page.length }
}

async function listExpired(
  { markets }: Stores,
  filter: MarketFilter,
  { limit, offset, after }: Page & { readonly limit: number },
  nowMs: number,
): Promise<Listed> {
  const page = { limit: limit + 1, offset, afterId: after?.[2] }
  const { markets: found, totalCount } = await markets.listResolved(filter, nowMs, page)
  return { markets: found.slice(0, limit), totalCount, hasMore: found.length > limit }
}

async function hasAny(stores: Stores, filter: MarketFilter, nowMs: number): Promise<boolean> {
  if (filter.statuses?.includes('expired')) return (await stores.markets.countResolved(filter)) > 0
  return stores.catalogue.list(filter, nowMs).length > 0
}

function positionOf({ id, status, endsAtMs }: StoredMarket): Position {
  return isActive(status) ? [0, endsAtMs, id] : [1, 0, id]
}

function isBehind([over, endsAtMs, id]: Position, [otherOver, otherEndsAtMs, otherId]: Position): boolean {
  if (over !== otherOver) return over > otherOver
  return endsAtMs === otherEndsAtMs ? id > otherId : endsAtMs > otherEndsAtMs
}

export function entryOf(market: StoredMarket, nowMs: number, result?: Result): LiveMarket {
  const cached = cachedEntries.get(market) ?? cachedEntryOf(market)
  const entry = { ...cached, expiresIn: expiresIn(market, nowMs) }
  if (result === undefined) return entry
  const { [CACHED_JSON]: _, ...members } = entry
  return { ...members, ...resultOf(result) }
}

function resultOf(result: Result) {
  return {
    resolvedOutcome: result.resolved_outcome,
    resolvedAt: result.resolved_at,
    priceToBeat: result.price_to_beat,
    priceToBeatSource: result.price_to_beat_source,
    priceToBeatAt: result.price_to_beat_at,
    settlementPrice: result.settlement_price,
    settlementPriceSource: result.settlement_price_source,
    settlementPriceAt: result.settlement_price_at,
  }
}

function cachedEntryOf(market: StoredMarket): CachedEntry {
  const members = {
    conditionId: market.id,
    category: market.category,
    subcategory: market.subcategory,
    label: market.label,
    tokenIds: [...market.tokenIds] as [string, string],
    outcomes: (isUpDown(market) ? ['UP', 'DOWN'] : ['Yes', 'No']) as [string, string],
    configId: market.planId,
    slug: market.slug,
    expired: !isActive(market.status),
    question: market.question,
    eventTitle: market.eventTitle,
    startDate: market.startsAtMs === undefined ? null : instantOf(market.startsAtMs),
    endDate: instantOf(market.endsAtMs),
    timeframe: market.timeframe,
    status: market.status,
    outcomeNames: [...market.outcomeNames] as [string, string],
    venue: market.venue,
  }
  const entry = { ...members, [CACHED_JSON]: JSON.stringify(members).slice(0, -1) }
  cachedEntries.set(market, entry)
  return entry
}

function textOf(entry: LiveMarket & { [CACHED_JSON]?: string }): string {
  const json = entry[CACHED_JSON]
  return json === undefined ? JSON.stringify(entry) : `${json},"expiresIn":${entry.expiresIn}}`
}
