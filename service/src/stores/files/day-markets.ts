import { DAY_MS, type DayMarket, type ListedMarket, type MarketSpan } from '../../domain/day-file.ts'
import { IN_MARKETS, readRows } from '../books/read-rows.ts'
import { IS_KEPT_DAY } from '../books/stored-since.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

export interface DayMarkets {
  readonly markets: readonly DayMarket[]
  /** Markets that have rows, but whose listing is not stored yet. */
  readonly unlisted: readonly string[]
}

/** An address with more ids would be longer than ClickHouse accepts. */
export const IDS_PER_QUERY = 1_000

const SPANS = `
  SELECT market_id, any(interval_ms), min(first_slot), max(last_slot),
    toUInt64(groupBitmapMergeIf(day_slots, day = toDate({day:UInt16})))
  FROM market_days
  WHERE day >= toDate({day:UInt16}) - 1 AND day <= toDate({day:UInt16}) + 1
  GROUP BY market_id HAVING countIf(day = toDate({day:UInt16})) > 0 ORDER BY market_id`

const FACTS = `
  SELECT market_id, venue, up_token_id, down_token_id, category, timeframe, coin
  FROM market_facts FINAL WHERE ${IN_MARKETS}`

/** Which markets have rows on which days. */
export function dayMarketStore(client: ClickHouseReads) {
  return {
    /** Starts of all days before this time whose rows are kept, the oldest first. */
    async daysBefore(beforeMs: number): Promise<number[]> {
      const days = await readRows(client, (reader) => reader.uint16(), {
        sql: `SELECT DISTINCT day FROM market_days WHERE day < toDate({day:UInt16}) AND ${IS_KEPT_DAY} ORDER BY day`,
        params: { day: Math.ceil(beforeMs / DAY_MS) },
      })
      return days.map((day) => day * DAY_MS).filter((dayMs) => dayMs + DAY_MS <= beforeMs)
    },

    async marketsOf(dayMs: number): Promise<DayMarkets> {
      const spans = await readRows(
        client,
        (reader): MarketSpan => ({
          marketId: reader.hexBytes(32),
          intervalMs: reader.uint32(),
          firstSlot: reader.uint64(),
          lastSlot: reader.uint64(),
          storedSlots: reader.uint64(),
        }),
        { sql: SPANS, params: { day: dayMs / DAY_MS } },
      )
      const facts = await listedMarkets(
        client,
        spans.map(({ marketId }) => marketId),
      )
      const markets = spans.flatMap((span) => {
        const known = facts.get(span.marketId)
        return known === undefined ? [] : [{ ...known, ...span }]
      })
      return { markets, unlisted: spans.map(({ marketId }) => marketId).filter((id) => !facts.has(id)) }
    },
  }
}

export type DayMarketStore = ReturnType<typeof dayMarketStore>

/** Ids as `IN_MARKETS` expects them. */
export function marketsParam(marketIds: readonly string[]): string[] {
  return marketIds.map((id) => id.slice(2))
}

/** Those whose listing is stored, by id. */
export async function listedMarkets(
  client: ClickHouseReads,
  marketIds: readonly string[],
): Promise<Map<string, ListedMarket>> {
  const found = new Map<string, ListedMarket>()
  for (let at = 0; at < marketIds.length; at += IDS_PER_QUERY)
    for (const each of await factsOf(client, marketIds.slice(at, at + IDS_PER_QUERY))) found.set(each.marketId, each)
  return found
}

function factsOf(client: ClickHouseReads, marketIds: readonly string[]): Promise<ListedMarket[]> {
  return readRows(
    client,
    (reader) => ({
      marketId: reader.hexBytes(32),
      venue: reader.string(),
      tokenIds: [reader.string(), reader.string()] as const,
      category: reader.string(),
      timeframe: reader.string(),
      coin: reader.string(),
    }),
    { sql: FACTS, params: { markets: marketsParam(marketIds) } },
  )
}
