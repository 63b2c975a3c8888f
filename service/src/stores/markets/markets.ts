import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Category, Resolution } from '../../domain/market.ts'
import type { MarketStatus } from '../../domain/market-status.ts'
import type { SlugCandidate } from '../../domain/slug.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { Database, Tables } from '../engines/postgres-database.ts'
import { currentCaller } from '../engines/waiting-caller.ts'
import { type JoinedRow, type ListedMarket, marketOfRow, type StoredMarket } from './postgres-market-rows.ts'
import { saveListings, saveResolutions } from './postgres-market-writes.ts'
import { categoryIn } from './postgres-plans.ts'

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

export interface MarketPage {
  readonly limit?: number
  readonly offset?: number
  /** Only markets with a greater id, of a list that is sorted by id. */
  readonly afterId?: string | undefined
}

export interface PlanCounts {
  readonly planId: string
  readonly category: Category
  readonly live: number
  readonly upcoming: number
}

type Joined = Tables & {
  resolutions: { [Column in keyof Tables['resolutions']]: Tables['resolutions'][Column] | null }
}
type JoinedColumns = ExpressionBuilder<Joined, 'markets' | 'resolutions'>

const NOT_OVER: readonly MarketStatus[] = ['live', 'upcoming']
const UNRESOLVED_PAGE = 2_000

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

  /** Soonest-ending first, ended markets last; ties by id. */
  async list(filter: MarketFilter, nowMs: number, page: MarketPage = {}): Promise<StoredMarket[]> {
    const now = new Date(nowMs)
    let query = this.#joined().where((columns) => matches(columns, filter, now))
    if (isNeverOver(filter)) query = query.orderBy('markets.ends_at')
    else if (!isAlwaysOver(filter)) {
      const isOver = sql<boolean>`(resolutions.market_id IS NOT NULL OR markets.ends_at <= ${now})`
      query = query.orderBy(isOver).orderBy(sql`CASE WHEN NOT ${isOver} THEN markets.ends_at END`)
    }
    query = query.orderBy('markets.id')
    if (page.afterId !== undefined) query = query.where('markets.id', '>', page.afterId)
    if (page.limit !== undefined) query = query.limit(page.limit)
    if (page.offset !== undefined) query = query.offset(page.offset)
    return marketsOf(await query.execute(cancelled()), nowMs)
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

  /** Of the listed markets; the statuses of the filter do not count. */
  async countResolved(filter: MarketFilter): Promise<number> {
    const { count } = await this.#database
      .selectFrom('resolved_counts')
      .where(isOfSeries(filter))
      .select((columns) => columns.fn.sum<string | null>('markets').as('count'))
      .executeTakeFirstOrThrow(cancelled())
    return Number(count ?? 0)
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

  /** Slugs of all markets that have not ended, for fuzzy search. */
  async slugs(nowMs: number): Promise<SlugCandidate[]> {
    const rows = await this.#database
      .selectFrom('markets')
      .leftJoin('resolutions', 'resolutions.market_id', 'markets.id')
      .where((columns) => matches(columns, {}, new Date(nowMs)))
      .select(['markets.id', 'venue', 'slug', 'category', 'subcategory', 'timeframe', 'starts_at', 'ends_at'])
      .orderBy('ends_at')
      .orderBy('markets.id')
      .execute(cancelled())
    return rows.map((row) => ({
      marketId: row.id,
      venue: row.venue,
      slug: row.slug,
      ...(row.category === 'crypto' && { coin: row.subcategory }),
      timeframe: row.timeframe,
      ...(row.starts_at && { startsAtMs: row.starts_at.getTime() }),
      endsAtMs: row.ends_at.getTime(),
    }))
  }

  /** Markets of each plan that have not ended. Plans without markets are left out. */
  async counts(nowMs: number): Promise<PlanCounts[]> {
    const now = new Date(nowMs)
    const rows = await this.#database
      .selectFrom('markets')
      .leftJoin('resolutions', 'resolutions.market_id', 'markets.id')
      .where((columns) => matches(columns, {}, now))
      .groupBy(['plan_id', 'category'])
      .orderBy('plan_id')
      .orderBy('category')
      .select((columns) => {
        const countOf = (status: MarketStatus) =>
          columns.fn.countAll<string>().filterWhere((each) => hasStatus(each, status, now))
        return ['plan_id', 'category', countOf('live').as('live'), countOf('upcoming').as('upcoming')]
      })
      .execute(cancelled())
    return rows.map((row) => ({
      planId: row.plan_id,
      category: categoryIn(row.category),
      live: Number(row.live),
      upcoming: Number(row.upcoming),
    }))
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

function isNeverOver({ statuses = NOT_OVER }: MarketFilter): boolean {
  return statuses.every((status) => NOT_OVER.includes(status))
}

function isAlwaysOver({ statuses = NOT_OVER }: MarketFilter): boolean {
  return statuses.every((status) => !NOT_OVER.includes(status))
}

function matches(columns: JoinedColumns, filter: MarketFilter, now: Date) {
  const statuses = filter.statuses ?? NOT_OVER
  return columns.and([columns.or(statuses.map((status) => hasStatus(columns, status, now))), isOfSeries(filter)])
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

/** `marketStatusAt` in SQL. */
function hasStatus(columns: JoinedColumns, status: MarketStatus, now: Date) {
  const isOpen = [columns('resolutions.market_id', 'is', null), columns('ends_at', '>', now)]
  switch (status) {
    case 'live':
      return columns.and([...isOpen, columns.or([columns('starts_at', 'is', null), columns('starts_at', '<=', now)])])
    case 'upcoming':
      return columns.and([...isOpen, columns('starts_at', '>', now)])
    case 'settling':
      return columns.and([columns('resolutions.market_id', 'is', null), columns('ends_at', '<=', now)])
    case 'expired':
      return columns('resolutions.market_id', 'is not', null)
  }
}
