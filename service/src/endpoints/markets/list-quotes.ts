import { z } from 'zod'
import type { Level } from '../../domain/book.ts'
import { LIVE_FOR_MS } from '../../domain/plan.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { mayUse } from '../../domain/tier.ts'
import { shown } from '../../domain/value-problems.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { type Answer, type EndpointRequest, endpoint } from '../endpoint.ts'
import { priceOf, sizeOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { isConditionId, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { isStale } from '../shared/live-book.ts'
import { marketFilters, wantedMarkets, withoutScope } from '../shared/market-filters.ts'
import { isActive } from '../shared/market-flags.ts'
import type { Stores } from '../stores.ts'

const MAX_QUOTES = 500
/** More ids would not fit into the request line that common proxies accept. */
const MAX_IDS = 100

const best = (what: string) => z.number().nullable().describe(`${what}; null when that side of the book is empty`)

const Quote = z
  .object({
    market_id: z.string(),
    slug: z.string(),
    venue: VenueName,
    up_bid: best('best bid of the UP token'),
    up_bid_size: best('its size'),
    up_ask: best('best ask of the UP token'),
    up_ask_size: best('its size'),
    down_bid: best('best bid of the DOWN token'),
    down_bid_size: best('its size'),
    down_ask: best('best ask of the DOWN token'),
    down_ask_size: best('its size'),
    captured_at: Instant.describe('when the books were sampled'),
    sequence_number: z.int().describe('the slot; it grows by 1 with every sampling interval'),
    age_ms: z.int().describe('age of the sample'),
    stale: z.boolean().describe('there is no current book; this is the last trusted one'),
  })
  .meta({ id: 'Quote' })
type Quote = z.infer<typeof Quote>

const WithoutQuote = z
  .object({
    market_id: z.string(),
    reason: z
      .enum([
        'market_not_found',
        'market_closed',
        'no_recent_data',
        'tier_not_allowed',
        'store_unavailable',
        'over_limit',
      ])
      .describe(
        'the error with which the live book of this market would answer; market_not_found: it is not listed. over_limit: a given id after the first `limit`, which was not read',
      ),
  })
  .meta({ id: 'WithoutQuote' })
type WithoutQuote = z.infer<typeof WithoutQuote>

const Quotes = z
  .object({
    quotes: z.array(Quote),
    without_quote: z.array(WithoutQuote).describe('the requested markets that have no live book, and why'),
    total_markets: z.int().describe('markets that match; those after the first `limit` are left out'),
  })
  .meta({ id: 'Quotes' })

const Ids = z
  .string()
  .transform((text, context): string[] => {
    const ids = [...new Set(text.split(',').map((id) => id.trim().toLowerCase()))]
    const wrong = ids.find((id) => !isConditionId(id))
    if (wrong === undefined && ids.length <= MAX_IDS) return ids
    const message =
      wrong === undefined
        ? `must have at most ${MAX_IDS} ids, got ${ids.length}`
        : `must be condition ids (0x and 64 hex digits), separated by commas, got ${shown(wrong)}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .describe(`condition ids, separated by commas, at most ${MAX_IDS}; other filters are then not used`)
  .meta({ override: { type: 'string', examples: [`0x${'ab'.repeat(32)}`] } })

const QuoteQuery = z.object({
  ...marketFilters,
  ids: Ids.optional(),
  limit: wholeNumber(1, MAX_QUOTES).default(MAX_QUOTES).describe('the markets that end first, or the first ids'),
})
type Request = EndpointRequest<unknown, z.output<typeof QuoteQuery>, undefined>

export const listQuotes = endpoint({
  method: 'GET',
  path: '/v1/quotes',
  name: 'list_quotes',
  group: 'Markets',
  summary: 'List the best prices of up to 500 markets, or of up to 100 given ids',
  description:
    'Best bid and ask of both tokens with their sizes and age, of the live and upcoming markets that the filters find, or of the given ids. The rules are those of the live book: a market without a book of the last minute, and a given id of a market that is past its end, is in `without_quote`.',
  access: { by: 'key', scope: 'live', isExpensive: () => true },
  query: QuoteQuery,
  reply: Quotes,
  errors: [],
  table: { columns: Object.keys(Quote.shape), rows: ({ quotes }) => quotes, inRows: ['quotes'] },

  async handle(request) {
    const { query, stores, nowMs } = request
    const requested = query.ids === undefined ? filtered(request) : await byIds(request, query.ids)
    const { markets, without, total, aside, isHidden } = requested
    const read = await stores.books.readMany(
      markets.map(({ id }) => id),
      nowMs,
    )
    if (read.length > 0 && read.every(({ status }) => status === 'rejected')) throw reasonOf(read[0])
    const quotes: Quote[] = []
    for (const [index, market] of markets.entries()) {
      const outcome = read[index]
      const snapshot = outcome?.status === 'fulfilled' ? outcome.value : undefined
      if (snapshot !== undefined && nowMs - snapshot.capturedAtMs <= LIVE_FOR_MS)
        quotes.push(quoteOf(market, snapshot, nowMs))
      else without.push({ market_id: market.id, reason: whyNone(outcome) })
    }
    return {
      body: { quotes, without_quote: without, total_markets: total },
      aside,
      emptyReason: quotes.length > 0 ? undefined : markets.length > 0 ? 'gap' : isHidden ? 'tier' : 'no_match',
    }
  },
})

type Read = PromiseSettledResult<Snapshot | undefined> | undefined

function reasonOf(read: Read): unknown {
  return read?.status === 'rejected' ? read.reason : undefined
}

/** One part of Redis may be away while others answer. */
function whyNone(read: Read): WithoutQuote['reason'] {
  if (read?.status !== 'rejected') return 'no_recent_data'
  if (!isStoreAway(read.reason)) throw read.reason
  return 'store_unavailable'
}

interface Requested {
  readonly markets: readonly QuotedMarket[]
  readonly without: WithoutQuote[]
  readonly total: number
  /** For headers. */
  readonly aside: NonNullable<Answer<never>['aside']>
  /** Only markets outside the tier match. */
  readonly isHidden: boolean
}

type QuotedMarket = Pick<StoredMarket, 'id' | 'slug' | 'venue' | 'captureIntervalMs'>

function filtered(request: Request): Requested {
  const { filter, leftOut, aside } = wantedMarkets(request)
  if (filter === undefined) return { markets: [], without: [], total: 0, aside, isHidden: false }
  const catalogue = readyCatalogue(request.stores)
  const found = catalogue.list(filter, request.nowMs)
  const isHidden =
    found.length === 0 && leftOut.length > 0 && catalogue.list(withoutScope(filter), request.nowMs).length > 0
  return { markets: found.slice(0, request.query.limit), without: [], total: found.length, aside, isHidden }
}

async function byIds({ query: { limit }, stores, nowMs, caller }: Request, ids: readonly string[]): Promise<Requested> {
  const wanted = ids.slice(0, limit)
  const known = await knownMarkets(stores, wanted, nowMs)
  const without = ids.slice(limit).map((id): WithoutQuote => ({ market_id: id, reason: 'over_limit' }))
  const markets: QuotedMarket[] = []
  for (const id of wanted) {
    const market = known.get(id)
    if (market === undefined) without.push({ market_id: id, reason: 'market_not_found' })
    else if (!mayUse(caller?.tier ?? 'free', { category: market.category }))
      without.push({ market_id: id, reason: 'tier_not_allowed' })
    else if (!isActive(market.status)) without.push({ market_id: id, reason: 'market_closed' })
    else markets.push(market)
  }
  return { markets, without, total: ids.length, aside: {}, isHidden: false }
}

/** Most are in the catalogue; the others have ended, or do not exist. */
async function knownMarkets(
  stores: Stores,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, StoredMarket>> {
  const catalogue = readyCatalogue(stores)
  const present = ids.flatMap((id) => catalogue.byId(id, nowMs) ?? [])
  const others = ids.filter((id) => !present.some((market) => market.id === id))
  const ended = others.length === 0 ? [] : await stores.markets.byIds(others, nowMs)
  return new Map([...present, ...ended].map((market) => [market.id, market]))
}

function quoteOf({ id, slug, venue, captureIntervalMs }: QuotedMarket, snapshot: Snapshot, nowMs: number): Quote {
  const { up, down, capturedAtMs, slot } = snapshot
  const ageMs = Math.max(0, Math.round(nowMs - capturedAtMs))
  return {
    market_id: id,
    slug,
    venue,
    up_bid: price(up.bids[0]),
    up_bid_size: size(up.bids[0]),
    up_ask: price(up.asks[0]),
    up_ask_size: size(up.asks[0]),
    down_bid: price(down.bids[0]),
    down_bid_size: size(down.bids[0]),
    down_ask: price(down.asks[0]),
    down_ask_size: size(down.asks[0]),
    captured_at: instantOf(capturedAtMs),
    sequence_number: slot,
    age_ms: ageMs,
    stale: isStale(ageMs, captureIntervalMs),
  }
}

function price(level: Level | undefined): number | null {
  return level === undefined ? null : priceOf(level.price)
}

function size(level: Level | undefined): number | null {
  return level === undefined ? null : sizeOf(level.size)
}
