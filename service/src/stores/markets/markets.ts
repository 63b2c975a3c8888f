import { type RawBuilder, sql } from 'kysely'
import type { Category, Resolution } from '../../domain/market.ts'
import type { MarketStatus } from '../../domain/market-status.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { Database } from '../engines/postgres-database.ts'
import { currentCaller } from '../engines/waiting-caller.ts'
import { type JoinedRow, type ListedMarket, marketOfRow, type StoredMarket } from './postgres-market-rows.ts'
import { saveListings, saveResolutions } from './postgres-market-writes.ts'

export interface MarketFilter {
  /** Default: every venue. */
  readonly venue?: string | undefined
  readonly category?: Category
  readonly categories?: readonly Category[]
  /** Case-sensitive. */
  readonly subcategory?: string
  /** Only crypto markets of this coin. */
  readonly coin?: string
  readonly timeframe?: string
  /** Default: live and upcoming. */
  readonly statuses?: readonly MarketStatus[]
}

/** The up/down windows of a coin; without a venue, those of every venue. */
export interface WindowSeries {
  readonly coin: string
  readonly timeframe: string
  readonly venue?: string | undefined
}

export interface ResolvedPage {
  readonly limit: number
  readonly offset: number
  /** Only markets with a greater id. */
  readonly afterId?: string | undefined
}

export interface ResolvedMarkets {
  readonly markets: readonly StoredMarket[]
  readonly totalCount: number
}

const UNRESOLVED_PAGE = 2_000
const FEW_MARKETS = 20_000

/** All current and ended markets. Writes are idempotent and independent of order. */
export class Markets {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  saveListings(listings: readonly ListedMarket[]): Promise<void> {
    return saveListings(this.#database, listings)
  }

  saveResolutions(resolutions: readonly Resolution[]): Promise<void> {
    return saveResolutions(this.#database, resolutions)
  }

  /** Resolved markets, sorted by id, and how many there are on all pages; the statuses of the filter do not count. */
  async listResolved(filter: MarketFilter, nowMs: number, page: ResolvedPage): Promise<ResolvedMarkets> {
    const series = await this.#resolvedSeries(filter)
    const totalCount = series.reduce((sum, { markets }) => sum + Number(markets), 0)
    if (totalCount === 0) return { markets: [], totalCount }
    let query = this.#joined()
      .where('resolutions.market_id', 'is not', null)
      .where(isOfSeries(filter))
      .orderBy('markets.id')
      .limit(page.limit)
      .offset(page.offset)
    if (page.afterId !== undefined) query = query.where('markets.id', '>', page.afterId)
    // Few markets are far apart in the order of ids, and together in the index of series.
    if (totalCount <= FEW_MARKETS)
      query = query.where((columns) =>
        columns.or(
          series.map(({ category, subcategory, timeframe }) => columns.and({ category, subcategory, timeframe })),
        ),
      )
    return { markets: marketsOf(await query.execute(cancelled()), nowMs), totalCount }
  }

  /** Markets without a resolution that end after this time, as of one moment; in pages, so that no statement is long. */
  unresolved(endingAfterMs: number, nowMs: number): Promise<StoredMarket[]> {
    const reading = this.#database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return reading.execute(async (transaction) => {
      const markets: StoredMarket[] = []
      for (;;) {
        const { endsAtMs, id } = markets.at(-1) ?? { endsAtMs: endingAfterMs, id: '' }
        const page = await joined(transaction)
          .where('resolutions.market_id', 'is', null)
          .where('markets.ends_at', '>', new Date(endingAfterMs))
          .where(sql<boolean>`(markets.ends_at, markets.id) > (${new Date(endsAtMs)}::timestamptz, ${id})`)
          .orderBy('markets.ends_at')
          .orderBy('markets.id')
          .limit(UNRESOLVED_PAGE)
          .execute(cancelled())
        markets.push(...marketsOf(page, nowMs))
        if (page.length < UNRESOLVED_PAGE) return markets
      }
    })
  }

  /** How many listed markets are resolved; the statuses of the filter do not count. */
  async countResolved(filter: MarketFilter): Promise<number> {
    const series = await this.#resolvedSeries(filter)
    return series.reduce((sum, { markets }) => sum + Number(markets), 0)
  }

  async byId(id: string, nowMs: number): Promise<StoredMarket | undefined> {
    const [market] = await this.byIds([id], nowMs)
    return market
  }

  /** Only the markets that exist, in no order. */
  async byIds(ids: readonly string[], nowMs: number): Promise<StoredMarket[]> {
    if (ids.length === 0) return []
    const rows = await this.#joined().where(sql<boolean>`markets.id = ANY(${ids}::text[])`).execute(cancelled())
    return marketsOf(rows, nowMs)
  }

  async byToken(tokenId: string, nowMs: number): Promise<StoredMarket | undefined> {
    const rows = await this.#joined()
      .where((columns) => columns.or([columns('up_token_id', '=', tokenId), columns('down_token_id', '=', tokenId)]))
      .orderBy('markets.last_seen_at', 'desc')
      .limit(1)
      .execute(cancelled())
    return marketsOf(rows, nowMs)[0]
  }

  /** Exact slug; includes ended markets. */
  async bySlug(slug: string, nowMs: number, venue?: string): Promise<StoredMarket | undefined> {
    const rows = await this.#joined()
      .where('markets.slug', '=', slug)
      .where(isOfSeries({ venue }))
      .orderBy('markets.ends_at', 'desc')
      .orderBy('markets.id')
      .limit(1)
      .execute(cancelled())
    return marketsOf(rows, nowMs)[0]
  }

  /** The up/down window of a coin at a time. */
  async windowAt(series: WindowSeries, atMs: number, nowMs: number): Promise<StoredMarket | undefined> {
    const at = new Date(atMs)
    const rows = await this.#joined()
      .where(isOfSeries(series))
      .where('markets.starts_at', '<=', at)
      .where('markets.ends_at', '>', at)
      .orderBy('markets.ends_at')
      .orderBy('markets.id')
      .limit(1)
      .execute(cancelled())
    return marketsOf(rows, nowMs)[0]
  }

  /** The up/down windows of a coin that overlap the range, sorted by their end. */
  async windowsBetween(
    series: WindowSeries,
    { fromMs, toMs }: TimeRange,
    page: { nowMs: number; limit: number },
  ): Promise<StoredMarket[]> {
    const rows = await this.#joined()
      .where(isOfSeries(series))
      .where('markets.starts_at', '<', new Date(toMs))
      .where('markets.ends_at', '>', new Date(fromMs))
      .orderBy('markets.ends_at')
      .orderBy('markets.id')
      .limit(page.limit)
      .execute(cancelled())
    return marketsOf(rows, page.nowMs)
  }

  #resolvedSeries(filter: MarketFilter) {
    return this.#database
      .selectFrom('resolved_counts')
      .where(isOfSeries(filter))
      .where('markets', '>', '0')
      .selectAll()
      .execute(cancelled())
  }

  #joined() {
    return joined(this.#database)
  }
}

function joined(database: Database) {
  return database
    .selectFrom('markets')
    .leftJoin('resolutions', 'resolutions.market_id', 'markets.id')
    .selectAll('markets')
    .select(['resolutions.winner', 'resolutions.resolved_at'])
}

/** A market list can take long, so PostgreSQL stops it when nobody waits for it. */
function cancelled() {
  return { signal: currentCaller().signal, inflightQueryAbortStrategy: 'cancel query' } as const
}

function marketsOf(rows: readonly JoinedRow[], nowMs: number): StoredMarket[] {
  return rows.map((row) => marketOfRow(row, nowMs))
}

/** For every table with these columns. */
function isOfSeries(filter: MarketFilter): RawBuilder<boolean> {
  const wanted = [
    filter.venue !== undefined && sql`venue = ${filter.venue}`,
    filter.category !== undefined && sql`category = ${filter.category}`,
    filter.categories !== undefined && sql`category = ANY(${filter.categories}::text[])`,
    filter.subcategory !== undefined && sql`subcategory = ${filter.subcategory}`,
    filter.coin !== undefined && sql`category = 'crypto' AND subcategory = ${filter.coin}`,
    filter.timeframe !== undefined && sql`timeframe = ${filter.timeframe}`,
  ]
  return sql<boolean>`(${sql.join([sql`true`, ...wanted.filter((each) => each !== false)], sql` AND `)})`
}
