import type { ClickHouseClient } from '@clickhouse/client'
import { COINS, type Market } from '../../domain/market.ts'
import { RowWriter } from '../../domain/rows/row-binary.ts'
import { insertRowBinary, RowsRefused } from '../books/row-inserter.ts'

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

/** A listed market, and when its listing was published. */
export interface PublishedMarket {
  readonly market: Market
  readonly publishedAtMs: number
}

/** Properties of markets in ClickHouse, for SQL queries of analysts. Rows of perps already contain theirs. */
export function marketFactStore(client: ClickHouseClient) {
  return {
    /** Idempotent: the newest listing of a market is kept. Throws `RowsRefused` for a market that cannot be encoded. */
    async put(markets: readonly PublishedMarket[]): Promise<void> {
      if (markets.length === 0) return
      const rows = encode(markets)
      await insertRowBinary(client, 'market_facts', FACT_COLUMNS, [rows])
    },
  }
}

export type MarketFactStore = ReturnType<typeof marketFactStore>

function encode(markets: readonly PublishedMarket[]): Buffer {
  const writer = new RowWriter()
  try {
    for (const each of markets) writeFacts(writer, each)
  } catch (error) {
    throw new RowsRefused(error instanceof Error ? error.message : String(error), { cause: error })
  }
  return writer.take()
}

function writeFacts(writer: RowWriter, { market, publishedAtMs }: PublishedMarket): void {
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
  writer.uint64(publishedAtMs)
}
