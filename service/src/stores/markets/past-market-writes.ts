import type { ClickHouseClient } from '@clickhouse/client'
import { type RowReader, RowWriter } from '../../domain/rows/row-binary.ts'
import { IN_MARKETS, marketParam, readRows } from '../books/read-rows.ts'
import { insertRowBinary } from '../books/row-inserter.ts'
import { FIRST_KEPT_DAY, IS_KEPT_DAY } from '../books/stored-since.ts'
import { LAST_PLACE, PAST_COLUMNS, type PastMarket, pastMarketOf, pastRowsSql, readPastMarket } from './past-markets.ts'
import { readFacts, readSpans } from './recorded-spans.ts'

/** Days since the Unix epoch. */
export interface PastState {
  /** Markets that were last recorded before this day are in the table. */
  readonly toDay: number
  /** Rows of earlier days are no longer kept. */
  readonly fromDay: number
  /** Markets that were changed up to this time of the server are counted again. */
  readonly changesTo: string
}

/** Which markets, as SQL. */
export interface SomeMarkets {
  readonly condition: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Markets whose last row is of these days. */
export function endedIn({ fromDay, toDay }: { readonly fromDay: number; readonly toDay: number }): SomeMarkets {
  const ended = `SELECT market_id FROM market_days WHERE ${SINCE_DAY} AND ${IS_KEPT_DAY}
    GROUP BY market_id HAVING max(day) < toDate({to:UInt16})`
  return { condition: `market_id GLOBAL IN (${ended})`, params: { day: fromDay, to: toDay } }
}

/** At most a thousand. */
export function theseMarkets(marketIds: readonly string[]): SomeMarkets {
  return { condition: IN_MARKETS, params: { markets: marketIds.map(marketParam) } }
}

const COLUMNS = [
  ['market_id', 'FixedString(32)'],
  ['interval_ms', 'UInt32'],
  ['first_slot', 'UInt64'],
  ['last_slot', 'UInt64'],
  ['row_count', 'UInt64'],
  ['venue', 'LowCardinality(String)'],
  ['category', 'LowCardinality(String)'],
  ['subcategory', 'LowCardinality(String)'],
  ['timeframe', 'LowCardinality(String)'],
  ['slug', 'String'],
  ['question', 'String'],
  ['ends_at', "DateTime64(3, 'UTC')"],
  ['is_deleted', 'UInt8'],
] as const

const DAY_MS = 86_400_000
const STATE_PARAMS = "toDate({to:UInt16}), toDate({from:UInt16}), toDateTime64({changes:String}, 6, 'UTC')"
const SINCE_DAY = 'day >= toDate({day:UInt16})'
const readId = (reader: RowReader): string => reader.hexBytes(32)

/** Finds out which markets belong into the table of past markets, and writes them. */
export function pastMarketWrites(client: ClickHouseClient) {
  const ids = (sql: string, params: Record<string, unknown>): Promise<string[]> =>
    readRows(client, readId, { sql, params })
  return {
    /** Undefined before the first time. */
    async state(): Promise<PastState | undefined> {
      const [state] = await readRows(
        client,
        (reader) => ({ toDay: reader.uint16(), fromDay: reader.uint16(), changesTo: reader.string() }),
        {
          sql: 'SELECT kept_to, kept_from, toString(changes_to) FROM past_state ORDER BY changed_at DESC LIMIT 1',
          params: {},
        },
      )
      return state
    },

    /** Counts all markets of the table, so that no request does. */
    async putState({ toDay, fromDay, changesTo }: PastState): Promise<void> {
      await client.command({
        query: `INSERT INTO past_state (kept_to, kept_from, changes_to, counts)
          SELECT ${STATE_PARAMS}, groupArray((venue, category, subcategory, timeframe, is_complete, markets, rows))
          FROM (
            SELECT venue, category, subcategory, timeframe, is_complete, count() AS markets, sum(row_count) AS rows
            FROM past_markets FINAL
            WHERE is_deleted = 0 AND last_at < toDate({to:UInt16}) AND last_at >= toDate({from:UInt16})
            GROUP BY venue, category, subcategory, timeframe, is_complete
          )`,
        query_params: { to: toDay, from: fromDay, changes: changesTo },
        clickhouse_settings: { async_insert: 0, distributed_foreground_insert: 1 },
      })
    },

    /** The oldest day with rows, undefined without any; the oldest one that is kept; and the time that long ago. */
    async times(agoMs: number): Promise<{ oldestDay: number | undefined; keptFromDay: number; changesTo: string }> {
      const [times] = await readRows(
        client,
        (reader) => ({ oldestDay: reader.uint16(), keptFromDay: reader.uint16(), changesTo: reader.string() }),
        {
          sql: `SELECT min(day), assumeNotNull(${FIRST_KEPT_DAY}), toString(now64(6, 'UTC') - toIntervalMillisecond({ago:UInt32}))
            FROM market_days WHERE ${IS_KEPT_DAY}`,
          params: { ago: agoMs },
        },
      )
      const { oldestDay = 0, keptFromDay = 0, changesTo = '' } = times ?? {}
      return { oldestDay: oldestDay === 0 ? undefined : oldestDay, keptFromDay, changesTo }
    },

    /** Markets of the table that are recorded again. */
    resumed(toDay: number): Promise<string[]> {
      const recorded = `market_id GLOBAL IN (SELECT market_id FROM market_days WHERE ${SINCE_DAY})`
      return ids(`SELECT DISTINCT market_id FROM (${pastRowsSql('market_id', recorded)})`, { day: toDay })
    },

    /** Markets of the table with rows that are no longer kept. */
    noLongerWhole(keptFromDay: number): Promise<string[]> {
      return ids(`SELECT DISTINCT market_id FROM (${pastRowsSql('market_id', 'place > {place:UInt64}')})`, {
        place: LAST_PLACE - keptFromDay * DAY_MS,
      })
    },

    /** Markets whose rows or listing were stored late, or corrected. */
    changed({ fromTime, toTime }: { readonly fromTime: string; readonly toTime: string }): Promise<string[]> {
      return ids(
        `SELECT DISTINCT market_id FROM changed_markets
          WHERE changed_at > toDateTime64({from:String}, 6, 'UTC') AND changed_at <= toDateTime64({to:String}, 6, 'UTC')`,
        { from: fromTime, to: toTime },
      )
    },

    /** Those with rows. */
    async count({ condition, params }: SomeMarkets): Promise<PastMarket[]> {
      const spans = await readSpans(client, `${condition} AND ${IS_KEPT_DAY}`, params)
      const facts = await readFacts(client, condition, params)
      const factsOf = new Map(facts.map((each) => [each.marketId, each]))
      return spans.map((span) => pastMarketOf(span, factsOf.get(span.marketId)))
    },

    /** What the table has of them. */
    listed({ condition, params }: SomeMarkets): Promise<PastMarket[]> {
      return readRows(client, readPastMarket, { sql: pastRowsSql(PAST_COLUMNS, condition), params: { ...params } })
    },

    async put(markets: readonly PastMarket[], { isDeleted = false } = {}): Promise<void> {
      if (markets.length === 0) return
      const writer = new RowWriter()
      for (const market of markets) writeMarket(writer, market, isDeleted)
      await insertRowBinary(client, 'past_markets', COLUMNS, [writer.take()])
    },
  }
}

export type PastMarketWrites = ReturnType<typeof pastMarketWrites>

function writeMarket(writer: RowWriter, market: PastMarket, isDeleted: boolean): void {
  writer.hexBytes(market.marketId, 32)
  writer.uint32(market.intervalMs)
  writer.uint64(market.firstSlot)
  writer.uint64(market.lastSlot)
  writer.uint64(market.rowCount)
  writer.string(market.venue)
  writer.string(market.category)
  writer.string(market.subcategory)
  writer.string(market.timeframe)
  writer.string(market.slug)
  writer.string(market.question)
  writer.uint64(market.endsAtMs)
  writer.uint8(isDeleted ? 1 : 0)
}
