import type { TimeRange } from '../../domain/time-range.ts'
import { MARKET_PARAM, marketParam, readRows } from '../books/read-rows.ts'
import { IS_KEPT_DAY } from '../books/stored-since.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import type { WindowSeries } from './markets.ts'
import { factsOf, factsSql, type RecordedFacts, type RecordedSpan, readFacts, readSpans } from './recorded-spans.ts'

/** What ClickHouse has of one market: rows, a listing, or both. */
export interface MarketRecord {
  readonly marketId: string
  readonly span: RecordedSpan | undefined
  readonly facts: RecordedFacts | undefined
}

/** The parameter is empty for every venue. */
const OF_VENUE = `({venue:String} = '' OR venue = {venue:String})`

const OF_MARKET = `market_id = ${MARKET_PARAM}`

/** The time of a listing without a start is 0. */
const WINDOWS = `category = 'crypto' AND subcategory = {coin:String} AND timeframe = {timeframe:String}
  AND ${OF_VENUE}
  AND toUnixTimestamp64Milli(starts_at) > 0 AND toUnixTimestamp64Milli(starts_at) < {to:UInt64}
  AND toUnixTimestamp64Milli(ends_at) > {from:UInt64}
  ORDER BY ends_at, market_id LIMIT {limit:UInt32}`

/** Markets that have rows or a listing, read only from ClickHouse; includes markets that PostgreSQL no longer has. */
export function recordedMarketStore(client: ClickHouseReads) {
  /** The market that ends last of those whose listing fulfils the condition. */
  const newestWith = async (condition: string, params: Record<string, string>): Promise<MarketRecord | undefined> => {
    const sql = `SELECT market_id FROM market_facts WHERE ${condition} ORDER BY ends_at DESC, market_id LIMIT 1`
    const [marketId] = await readRows(client, (reader) => reader.hexBytes(32), { sql, params })
    return marketId === undefined ? undefined : store.byId(marketId)
  }

  const store = {
    async byId(marketId: string): Promise<MarketRecord | undefined> {
      const params = { market: marketParam(marketId) }
      const [[span], [facts]] = await Promise.all([
        readSpans(client, `${OF_MARKET} AND ${IS_KEPT_DAY}`, params),
        readFacts(client, OF_MARKET, params),
      ])
      return span === undefined && facts === undefined ? undefined : { marketId, span, facts }
    },

    /** Case-sensitive. */
    bySlug(slug: string, venue = ''): Promise<MarketRecord | undefined> {
      return newestWith(`slug = {slug:String} AND ${OF_VENUE}`, { slug, venue })
    },

    byToken(tokenId: string): Promise<MarketRecord | undefined> {
      return newestWith('(up_token_id = {token:String} OR down_token_id = {token:String})', { token: tokenId })
    },

    /** The window of a series that contains a time. */
    async windowAt(series: WindowSeries, atMs: number): Promise<MarketRecord | undefined> {
      const [window] = await store.windowsBetween(series, { fromMs: atMs, toMs: atMs + 1 }, 1)
      return window && store.byId(window.marketId)
    },

    /** The windows of a series that overlap the range, sorted by their end; without the statistics of their rows. */
    async windowsBetween(
      { coin, timeframe, venue = '' }: WindowSeries,
      { fromMs, toMs }: TimeRange,
      limit: number,
    ): Promise<MarketRecord[]> {
      const params = { coin, timeframe, venue, from: String(fromMs), to: String(toMs), limit: String(limit) }
      const windows = await readRows(client, factsOf, { sql: factsSql(WINDOWS), params })
      return windows.map((facts) => ({ marketId: facts.marketId, span: undefined, facts }))
    },
  }
  return store
}

export type RecordedMarketStore = ReturnType<typeof recordedMarketStore>
