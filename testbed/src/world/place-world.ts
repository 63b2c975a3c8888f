import type { Config } from '@bookreel/service/config'
import { NewestRows } from '@bookreel/service/stores/books/newest-rows'
import type { Database } from '@bookreel/service/stores/engines/postgres-database'
import type { RedisConnection } from '@bookreel/service/stores/engines/redis-connection'
import { marketFactStore } from '@bookreel/service/stores/markets/market-facts'
import { Markets } from '@bookreel/service/stores/markets/markets'
import { openClickHouse } from '@bookreel/service/wiring/engines'
import type { ClickHouseClient } from '@clickhouse/client'
import { type KeptWorld, keptWorld } from './kept-world.ts'
import type { WorldFacts } from './world-facts.ts'
import { insertRows } from './world-rows.ts'

/** Longer than any test runs. */
export const EXPIRE_AFTER_MS = 86_400_000

export interface Engines {
  readonly config: Config
  readonly database: Database
  readonly redis: RedisConnection
}

/** Puts the world into prepared, empty engines, as the roles archive, hot and catalogue do. */
export async function placeWorld({ config, database, redis }: Engines): Promise<WorldFacts> {
  const world = await keptWorld()
  const { listings, resolutions, newest, newestPerps } = world.facts
  const newestRows = new NewestRows(redis, { expireAfterMs: EXPIRE_AFTER_MS })
  const markets = new Markets(database)
  await Promise.all([
    placeRows(config, world),
    newestRows.put(newest),
    newestRows.putPerps(newestPerps),
    markets.saveListings(listings).then(() => markets.saveResolutions(resolutions)),
  ])
  return world.facts
}

/** The first borrower of a stack inserts the rows and leaves a copy of the tables, whose files the next ones share. */
async function placeRows(config: Config, world: KeptWorld): Promise<void> {
  const clickhouse = openClickHouse(config)
  const run = (query: string): Promise<unknown> => clickhouse.command({ query })
  const copy = `frozen_${world.hash}`
  try {
    const copied = await filledTables(clickhouse, copy)
    if (copied.length > 0) {
      await Promise.all(copied.map((table) => run(`ALTER TABLE ${table} ATTACH PARTITION ALL FROM ${copy}.${table}`)))
      return
    }
    await insertRows(clickhouse, await world.rows())
    const facts = world.facts.listings.map(({ market, seenAtMs }) => ({ market, publishedAtMs: seenAtMs }))
    await marketFactStore(clickhouse).put(facts)
    await run(`DROP DATABASE IF EXISTS ${copy}_unfinished`)
    await run(`CREATE DATABASE ${copy}_unfinished`)
    for (const table of await filledTables(clickhouse, config.CLICKHOUSE_DATABASE))
      await run(`CREATE TABLE ${copy}_unfinished.${table} CLONE AS ${config.CLICKHOUSE_DATABASE}.${table}`)
    await run(`RENAME DATABASE ${copy}_unfinished TO ${copy}`)
  } finally {
    await clickhouse.close()
  }
}

/** The tables with rows, without those that `prepare` fills. */
async function filledTables(clickhouse: ClickHouseClient, database: string): Promise<string[]> {
  const answer = await clickhouse.query({
    query: `SELECT name FROM system.tables WHERE database = {database:String} AND engine LIKE '%MergeTree'
      AND total_rows > 0 AND name NOT IN ('applied_migrations', 'retention')`,
    query_params: { database },
    format: 'JSONEachRow',
  })
  return (await answer.json<{ name: string }>()).map(({ name }) => name)
}
