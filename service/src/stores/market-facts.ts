import type { ClickHouseClient } from '@clickhouse/client'
import { COINS, type Market } from '../domain/market.ts'
import { RowWriter } from '../domain/row-binary.ts'
import { insertRowBinary } from './row-inserter.ts'

const FACT_COLUMNS = [
  ['market_id', 'FixedString(32)'],
  ['venue', 'LowCardinality(String)'],
  ['up_token_id', 'String'],
  ['down_token_id', 'String'],
  ['category', 'LowCardinality(String)'],
  ['subcategory', 'LowCardinality(String)'],
  ['timeframe', 'LowCardinality(String)'],
  ['coin', 'LowCardinality(String)'],
  ['slug', 'String'],
  ['question', 'String'],
  ['interval_ms', 'UInt32'],
  ['starts_at', "DateTime64(3, 'UTC')"],
  ['ends_at', "DateTime64(3, 'UTC')"],
  ['told_at', "DateTime64(3, 'UTC')"],
] as const

/** What an analyst's own SQL needs to know of a market, beside its rows. */
export function marketFactStore(client: ClickHouseClient) {
  return {
    /** Harmless when repeated: the newest word on a market stays. */
    async put(markets: readonly Market[], toldAtMs: number): Promise<void> {
      if (markets.length === 0) return
      const writer = new RowWriter()
      for (const market of markets) writeFacts(writer, market, toldAtMs)
      await insertRowBinary(client, 'market_facts', FACT_COLUMNS, [writer.take()])
    },
  }
}

export type MarketFactStore = ReturnType<typeof marketFactStore>

function writeFacts(writer: RowWriter, market: Market, toldAtMs: number): void {
  const coin = market.category === 'crypto' ? COINS.find((symbol) => symbol === market.subcategory) : undefined
  writer.hexBytes(market.id, 32)
  writer.string(market.venue)
  writer.string(market.tokenIds[0])
  writer.string(market.tokenIds[1])
  writer.string(market.category)
  writer.string(market.subcategory)
  writer.string(market.timeframe)
  writer.string(coin ?? '')
  writer.string(market.slug)
  writer.string(market.question)
  writer.uint32(market.captureIntervalMs)
  writer.uint64(market.startsAtMs ?? 0)
  writer.uint64(market.endsAtMs)
  writer.uint64(toldAtMs)
}
