import { readdir } from 'node:fs/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLICKHOUSE_RETENTION, RETENTION_SETTINGS } from '../../src/domain/retention.ts'
import { migrateClickHouse, plannedStatements } from '../../src/stores/engines/clickhouse-migrations.ts'
import { openClickHouse, valuesOf } from './open-clickhouse.ts'

let stack: Stack
let client: ClickHouseClient
const form = { kind: 'single' } as const

beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse'] })
  client = openClickHouse(stack)
})
afterAll(async () => {
  await client.close()
  await stack.stop()
})

test('concurrent migrators produce the same result as one, and a later one finds nothing to do', async () => {
  await Promise.all(Array.from({ length: 4 }, () => migrateClickHouse({ clients: [client], form })))
  const tables = await valuesOf(
    client,
    'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  )
  expect(tables).toEqual([
    'applied_migrations',
    'changed_days_feed',
    'changed_facts_feed',
    'changed_markets',
    'gaps',
    'market_days',
    'market_days_feed',
    'market_facts',
    'past_markets',
    'past_state',
    'perp_contexts',
    'perp_snapshots',
    'perp_trades',
    'prices',
    'retention',
    'settlement_prices',
    'snapshots',
    'trades',
  ])
  expect(await migrateClickHouse({ clients: [client], form })).toEqual([])
  const applied = await valuesOf(client, 'SELECT name FROM applied_migrations FINAL ORDER BY number')
  const files = await readdir(new URL('../../migrations/clickhouse/', import.meta.url))
  expect(applied).toEqual(files.sort().map((file) => file.replace('.sql', '')))
})

test('rows are on disk before an insert is acknowledged', async () => {
  await migrateClickHouse({ clients: [client], form })
  const engines = await valuesOf(
    client,
    "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'",
  )
  expect(engines.length).toBeGreaterThan(7)
  for (const engine of engines) expect(engine).toMatch(/fsync_after_insert = 1, fsync_part_directory = 1/)
})

test('a migration that was changed after it had been applied is refused', async () => {
  await client.command({
    query: "INSERT INTO applied_migrations (number, name, checksum) VALUES (3, '0003-trades', 'another')",
  })
  await expect(migrateClickHouse({ clients: [client], form })).rejects.toThrow('0003-trades was changed')
  await client.command({ query: "DELETE FROM applied_migrations WHERE checksum = 'another'" })
})

test('the retention of rows is a setting that may change at every start', async () => {
  const lifetime = () =>
    valuesOf(
      client,
      "SELECT extract(engine_full, 'TTL [^S]+') FROM system.tables WHERE database = currentDatabase() AND name = 'snapshots'",
    )
  expect(await lifetime()).toEqual([''])
  for (const days of [30, 30, 7]) {
    await migrateClickHouse({ clients: [client], form, retention: { RETENTION_DAYS_SNAPSHOTS: days } })
    expect(await lifetime()).toEqual([`TTL toDateTime(slot_at) + toIntervalDay(${days}) `])
  }
  await migrateClickHouse({ clients: [client], form, retention: { RETENTION_DAYS_SNAPSHOTS: 0 } })
  expect(await lifetime()).toEqual([''])
})

test('without the setting a TTL that was set by hand is left alone, and 0 removes it', async () => {
  const lifetime = () =>
    valuesOf(
      client,
      "SELECT extract(engine_full, ' TTL ([^S]+)') FROM system.tables WHERE database = currentDatabase() AND name = 'trades'",
    )
  await client.command({ query: 'ALTER TABLE trades MODIFY TTL toDateTime(traded_at) + INTERVAL 3 MONTH' })
  const byHand = await lifetime()
  expect(byHand).toEqual([expect.stringContaining('toIntervalMonth(3)')])
  await migrateClickHouse({
    clients: [client],
    form,
    retention: { RETENTION_DAYS_SNAPSHOTS: 30, RETENTION_DAYS_TRADES: undefined },
  })
  expect(await lifetime()).toEqual(byHand)
  for (const _ of ['removes it', 'finds nothing to remove'])
    await migrateClickHouse({
      clients: [client],
      form,
      retention: { RETENTION_DAYS_SNAPSHOTS: 0, RETENTION_DAYS_TRADES: 0 },
    })
  expect(await lifetime()).toEqual([''])
})

test('every table has an entry in the list of retention, and those with a setting follow it', async () => {
  await migrateClickHouse({ clients: [client], form })
  const tables = await valuesOf(
    client,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name",
  )
  expect(Object.keys(CLICKHOUSE_RETENTION).sort()).toEqual(tables)
  const withTtl = () =>
    valuesOf(
      client,
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine_full LIKE '% TTL %' ORDER BY name",
    )
  const all = (days: number) => Object.fromEntries(RETENTION_SETTINGS.map((setting) => [setting, days]))
  await migrateClickHouse({ clients: [client], form, retention: all(30) })
  const bySetting = Object.keys(CLICKHOUSE_RETENTION).filter((table) => CLICKHOUSE_RETENTION[table]?.by === 'setting')
  expect(await withTtl()).toEqual(bySetting.sort())
  await migrateClickHouse({ clients: [client], form, retention: all(0) })
  expect(await withTtl()).toEqual([])
})

test('gaps that would be deleted before their rows are refused', async () => {
  const retention = { RETENTION_DAYS_SNAPSHOTS: 30, RETENTION_DAYS_GAPS: 7 }
  await expect(migrateClickHouse({ clients: [client], form, retention })).rejects.toThrow('Set it to at least the same')
})

test('ClickHouse can parse the statements for a replicated cluster', async () => {
  const statements = await plannedStatements({ kind: 'replicated', cluster: 'bookreel' })
  expect(statements.length).toBeGreaterThan(14)
  for (const statement of statements) {
    const result = await client.query({
      query: 'SELECT formatQuery({statement:String}) AS text',
      query_params: { statement },
      format: 'JSONEachRow',
    })
    const [row] = await result.json<{ text: string }>()
    expect(row?.text).toMatch(/ON CLUSTER bookreel/)
    if (/^CREATE TABLE/.test(statement) && !statement.includes('applied_migrations'))
      expect(row?.text).toMatch(/ENGINE = (Replicated(Replacing|Aggregating)MergeTree\('|Distributed\()/)
  }
})
