import type { Config } from '@bookreel/service/config'
import { writeGap } from '@bookreel/service/domain/rows/gap'
import { RowWriter } from '@bookreel/service/domain/rows/row-binary'
import { currentSchema, type RowTable } from '@bookreel/service/domain/rows/row-table'
import { writeSettlementPrice } from '@bookreel/service/domain/rows/settlement-price'
import { writeSnapshot } from '@bookreel/service/domain/rows/snapshot'
import { writeTrade } from '@bookreel/service/domain/rows/trade'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { marketFactStore } from '@bookreel/service/stores/markets/market-facts'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { PastHour } from './record-past-hour.ts'

/**
 * Writes the hour as the roles archive and catalogue do, but not over the bus: the live recorder holds the shards, and
 * readers of the bus take every batch for the newest one. All rows of a table are one insert, and the markets are
 * saved last, so that nobody can export a part of the hour.
 */
export async function storePastHour(
  config: Config,
  { listings, resolutions, settlements, ticks }: PastHour,
): Promise<void> {
  const clickhouse = openClickHouse(config)
  const database = openDatabase({ url: config.DATABASE_URL })
  const insert = async <Row>(
    table: RowTable,
    rows: readonly Row[],
    write: (writer: RowWriter, row: Row) => void,
  ): Promise<void> => {
    if (rows.length === 0) return
    const writer = new RowWriter()
    for (const row of rows) write(writer, row)
    await rowInserter(clickhouse).insertRaw(table, currentSchema(table), [writer.take()])
  }
  try {
    await insert(
      'trades',
      ticks.flatMap(({ trades }) => trades),
      writeTrade,
    )
    await insert(
      'gaps',
      ticks.flatMap(({ gaps }) => gaps),
      writeGap,
    )
    await insert('settlement_prices', settlements, writeSettlementPrice)
    await insert(
      'snapshots',
      ticks.flatMap(({ snapshots }) => snapshots),
      writeSnapshot,
    )
    await marketFactStore(clickhouse).put(listings.map(({ market, seenAtMs }) => ({ market, publishedAtMs: seenAtMs })))
    const markets = new Markets(database)
    await markets.saveListings(listings)
    await markets.saveResolutions(resolutions)
  } finally {
    await Promise.all([clickhouse.close(), database.destroy()])
  }
}
