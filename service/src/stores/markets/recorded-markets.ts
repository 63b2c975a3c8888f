import type { RowReader } from '../../domain/rows/row-binary.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { MARKET_PARAM, marketParam, readRows } from '../books/read-rows.ts'
import { IS_KEPT_DAY } from '../books/stored-since.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { forEverybody } from '../engines/waiting-caller.ts'
import type { WindowSeries } from './markets.ts'

/** What the rows of a market tell about it. */
export interface RecordedSpan {
  readonly marketId: string
  readonly intervalMs: number
  readonly firstSlot: number
  readonly lastSlot: number
  readonly rowCount: number
}

/** Properties of a market from its newest listing. */
export interface RecordedFacts {
  readonly marketId: string
  readonly venue: string
  readonly tokenIds: readonly [string, string]
  readonly category: string
  readonly subcategory: string
  readonly timeframe: string
  /** Empty for other categories than crypto. */
  readonly coin: string
  readonly slug: string
  readonly question: string
  readonly intervalMs: number
  readonly startsAtMs: number | undefined
  readonly endsAtMs: number
}

/** What ClickHouse has of one market: rows, a listing, or both. */
export interface MarketRecord {
  readonly marketId: string
  readonly span: RecordedSpan | undefined
  readonly facts: RecordedFacts | undefined
}

export interface RecordedMarket extends RecordedSpan {
  /** Undefined while the first row of a market is stored but its listing is not. */
  readonly facts: RecordedFacts | undefined
}

export interface RecordedList {
  readonly markets: readonly RecordedMarket[]
  readonly readAtMs: number
}

/** `day_slots` are numbered within a day, so each day is counted separately. Aggregation in key order halves the time. */
const SPANS = (condition: string) => `
  SELECT market_id, interval_ms, min(day_first), max(day_last), sum(day_rows)
  FROM (
    SELECT market_id, interval_ms, min(first_slot) AS day_first, max(last_slot) AS day_last,
      toUInt64(groupBitmapMerge(day_slots)) AS day_rows
    FROM market_days ${condition} GROUP BY market_id, interval_ms, day
  )
  GROUP BY market_id, interval_ms
  SETTINGS optimize_aggregation_in_order = 1`

const FACTS = (condition: string) => `
  SELECT market_id, venue, up_token_id, down_token_id, category, subcategory, timeframe, coin, slug, question,
    interval_ms, toUInt64(toUnixTimestamp64Milli(starts_at)), toUInt64(toUnixTimestamp64Milli(ends_at))
  FROM market_facts FINAL ${condition}`

/** The parameter is empty for every venue. */
const OF_VENUE = `({venue:String} = '' OR venue = {venue:String})`

const OF_MARKET = `WHERE market_id = ${MARKET_PARAM}`

/** The time of a listing without a start is 0. */
const WINDOWS = `WHERE category = 'crypto' AND subcategory = {coin:String} AND timeframe = {timeframe:String}
  AND ${OF_VENUE}
  AND toUnixTimestamp64Milli(starts_at) > 0 AND toUnixTimestamp64Milli(starts_at) < {to:UInt64}
  AND toUnixTimestamp64Milli(ends_at) > {from:UInt64}
  ORDER BY ends_at, market_id LIMIT {limit:UInt32}`

/** Every market that has rows, read only from ClickHouse; includes markets that PostgreSQL no longer has. */
export function recordedMarketStore(client: ClickHouseReads) {
  let newest: RecordedList | undefined
  let reading: Promise<RecordedList> | undefined

  const readAll = async (nowMs: number): Promise<RecordedList> => {
    const [spans, facts] = await Promise.all([
      readRows(client, readSpan, { sql: SPANS(`WHERE ${IS_KEPT_DAY}`), params: {} }),
      readRows(client, readFacts, { sql: FACTS(''), params: {} }),
    ])
    const factsById = new Map(facts.map((each) => [each.marketId, each]))
    newest = { markets: spans.map((span) => ({ ...span, facts: factsById.get(span.marketId) })), readAtMs: nowMs }
    return newest
  }

  /** The market that ends last of those whose listing fulfils the condition. */
  const newestWith = async (condition: string, params: Record<string, string>): Promise<MarketRecord | undefined> => {
    const sql = `SELECT market_id FROM market_facts WHERE ${condition} ORDER BY ends_at DESC, market_id LIMIT 1`
    const [marketId] = await readRows(client, (reader) => reader.hexBytes(32), { sql, params })
    return marketId === undefined ? undefined : store.byId(marketId)
  }

  const store = {
    /** A list that was read at most `maxAgeMs` ago. Concurrent calls share one read. */
    async list({ nowMs, maxAgeMs }: { nowMs: number; maxAgeMs: number }): Promise<RecordedList> {
      if (newest !== undefined && nowMs - newest.readAtMs < maxAgeMs) return newest
      reading ??= forEverybody(() => readAll(nowMs)).finally(() => {
        reading = undefined
      })
      return reading
    },

    async byId(marketId: string): Promise<MarketRecord | undefined> {
      const params = { market: marketParam(marketId) }
      const [[span], [facts]] = await Promise.all([
        readRows(client, readSpan, { sql: SPANS(`${OF_MARKET} AND ${IS_KEPT_DAY}`), params }),
        readRows(client, readFacts, { sql: FACTS(OF_MARKET), params }),
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
      const windows = await readRows(client, readFacts, { sql: FACTS(WINDOWS), params })
      return windows.map((facts) => ({ marketId: facts.marketId, span: undefined, facts }))
    },
  }
  return store
}

export type RecordedMarketStore = ReturnType<typeof recordedMarketStore>

function readSpan(reader: RowReader): RecordedSpan {
  return {
    marketId: reader.hexBytes(32),
    intervalMs: reader.uint32(),
    firstSlot: reader.uint64(),
    lastSlot: reader.uint64(),
    rowCount: reader.uint64(),
  }
}

function readFacts(reader: RowReader): RecordedFacts {
  return {
    marketId: reader.hexBytes(32),
    venue: reader.string(),
    tokenIds: [reader.string(), reader.string()],
    category: reader.string(),
    subcategory: reader.string(),
    timeframe: reader.string(),
    coin: reader.string(),
    slug: reader.string(),
    question: reader.string(),
    intervalMs: reader.uint32(),
    startsAtMs: reader.uint64() || undefined,
    endsAtMs: reader.uint64(),
  }
}
