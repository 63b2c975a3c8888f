import { z } from 'zod'
import { MARKET_STATUSES } from '../../domain/market-status.ts'
import type { MarketFilter } from '../../stores/markets/markets.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { wholeNumber } from '../schemas/parameters.ts'
import { readyCatalogue } from '../shared/find-market.ts'
import { marketFilters, wantedMarkets, withoutScope } from '../shared/market-filters.ts'
import { expiresIn, isActive, isUpDown } from '../shared/market-flags.ts'
import type { Stores } from '../stores.ts'

const MOST_MARKETS = 5_000

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
    expiresIn: z.int().describe('milliseconds until it ends; 0 when it has'),
    question: z.string(),
    eventTitle: z.string(),
    startDate: Instant.nullable().describe('when the window opens or the game starts'),
    endDate: Instant,
    timeframe: z.string(),
    status: z.enum(MARKET_STATUSES),
    outcomeNames: z.tuple([z.string(), z.string()]).describe('as the venue calls them'),
  })
  .meta({ id: 'LiveMarket' })
type LiveMarket = z.infer<typeof LiveMarket>

/** JSON of all members but the one that changes with every millisecond; it belongs to the entry and is never shown. */
const LASTING_TEXT = Symbol('JSON of what lasts')
type Lasting = Omit<LiveMarket, 'expiresIn'> & { [LASTING_TEXT]?: string }

const lastingEntries = new WeakMap<StoredMarket, Lasting>()

export const listLiveMarkets = endpoint({
  method: 'GET',
  path: '/v1/markets/live',
  name: 'list_live_markets',
  group: 'Markets',
  summary: 'Markets that are live or about to be',
  description:
    'With `limit` or `offset` the soonest-ending come first, so `crypto=BTC&timeframe=5m&limit=1` is the current window. Counts and applied filters are in headers: `X-Total-Count`, `X-Limit`, `X-Offset`; `X-Tier-Scope-Filtered` names the categories that the tier leaves out.',
  access: { by: 'key', scope: 'live' },
  query: z.object({
    ...marketFilters,
    status: z
      .enum(MARKET_STATUSES)
      .optional()
      .describe(
        'default: live and upcoming. settling: ended, not resolved yet. expired: resolved, 5000 unless `limit` says less',
      ),
    limit: wholeNumber(1, MOST_MARKETS).optional().describe('applied after the filters'),
    offset: wholeNumber(0, 999_999_999).optional(),
  }),
  reply: z.array(LiveMarket),
  errors: [],
  render: (entries) => `[${entries.map(textOf).join(',')}]`,

  async handle(request) {
    const { query, stores, nowMs } = request
    const { status, offset } = query
    const { filter, leftOut, aside } = wantedMarkets(request)
    const limit = status === 'expired' ? (query.limit ?? MOST_MARKETS) : query.limit
    const said = { ...aside, status, limit, offset }
    if (filter === undefined) return { body: [], aside: { totalCount: 0, ...said }, emptyReason: 'no_match' }

    const wanted = { ...filter, ...(status !== undefined && { statuses: [status] }) }
    const list = status === 'expired' ? listExpired : listPresent
    const { markets, totalCount } = await list(stores, wanted, { limit, offset: offset ?? 0 }, nowMs)
    const isHidden = totalCount === 0 && leftOut.length > 0 && (await hasAny(stores, withoutScope(wanted), nowMs))
    return {
      body: markets.map((market) => entryOf(market, nowMs)),
      aside: { totalCount, ...said, catalogueAgeMs: nowMs - (stores.catalogue.refreshedAtMs ?? nowMs) },
      emptyReason: markets.length > 0 ? undefined : isHidden ? 'tier' : 'no_match',
    }
  },
})

interface Page {
  readonly limit: number | undefined
  readonly offset: number
}

interface Listed {
  readonly markets: readonly StoredMarket[]
  readonly totalCount: number
}

async function listPresent(
  stores: Stores,
  filter: MarketFilter,
  { limit, offset }: Page,
  nowMs: number,
): Promise<Listed> {
  const found = readyCatalogue(stores).list(filter, nowMs)
  const ended = found.filter(({ status }) => !isActive(status)).sort((one, other) => (one.id < other.id ? -1 : 1))
  const markets = [...found.filter(({ status }) => isActive(status)), ...ended]
  return { markets: markets.slice(offset, limit && offset + limit), totalCount: markets.length }
}

async function listExpired({ markets }: Stores, filter: MarketFilter, page: Page, nowMs: number): Promise<Listed> {
  const { limit = MOST_MARKETS, offset } = page
  const [found, totalCount] = await Promise.all([
    markets.list(filter, nowMs, { limit, offset }),
    markets.count(filter, nowMs),
  ])
  return { markets: found, totalCount }
}

async function hasAny(stores: Stores, filter: MarketFilter, nowMs: number): Promise<boolean> {
  if (filter.statuses?.includes('expired')) return (await stores.markets.count(filter, nowMs)) > 0
  return stores.catalogue.list(filter, nowMs).length > 0
}

export function entryOf(market: StoredMarket, nowMs: number): LiveMarket {
  const lasting = lastingEntries.get(market) ?? lastingOf(market)
  return { ...lasting, expiresIn: expiresIn(market, nowMs) }
}

function lastingOf(market: StoredMarket): Lasting {
  const lasting = {
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
  }
  const entry = { ...lasting, [LASTING_TEXT]: JSON.stringify(lasting).slice(0, -1) }
  lastingEntries.set(market, entry)
  return entry
}

function textOf(entry: LiveMarket & { [LASTING_TEXT]?: string }): string {
  const lasting = entry[LASTING_TEXT]
  return lasting === undefined ? JSON.stringify(entry) : `${lasting},"expiresIn":${entry.expiresIn}}`
}
