import { noRows } from '@bookreel/service/capture/tick-rows'
import type { Config } from '@bookreel/service/config'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { marketFactStore } from '@bookreel/service/stores/markets/market-facts'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import { encodeRows, insertRows } from '../world/world-rows.ts'
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
  try {
    await insertRows(clickhouse, encodeRows([...ticks, { ...noRows(), settlements: [...settlements] }]))
    await marketFactStore(clickhouse).put(listings.map(({ market, seenAtMs }) => ({ market, publishedAtMs: seenAtMs })))
    const markets = new Markets(database)
    await markets.saveListings(listings)
    await markets.saveResolutions(resolutions)
  } finally {
    await Promise.all([clickhouse.close(), database.destroy()])
  }
}
