import { type Stack, startStack } from '@bookreel/stack/start-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { marketDayStore } from '../../src/stores/books/market-days.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { snapshotStore } from '../../src/stores/books/snapshots.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { openClickHouse, valuesOf } from './open-clickhouse.ts'
import { anySnapshot, DAY_START_MS } from './random-rows.ts'

let stack: Stack
let shards: ClickHouseClient[]
const day = { fromMs: DAY_START_MS, toMs: DAY_START_MS + 86_400_000 }

beforeAll(async () => {
  stack = await startStack({ engines: ['clickhouse'], clickhouseShards: 2 })
  const urls = stack.variable('CLICKHOUSE_SHARD_URLS').split(',')
  shards = urls.map((url) => openClickHouse(stack, url))
  const form = { kind: 'sharded', cluster: stack.variable('CLICKHOUSE_CLUSTER') } as const
  await migrateClickHouse({ clients: shards, form, retention: { RETENTION_DAYS_SNAPSHOTS: 3_650 } })
})
afterAll(async () => {
  await Promise.all(shards.map((shard) => shard.close()))
  await stack.stop()
})

function first(): ClickHouseClient {
  const [shard] = shards
  if (shard === undefined) throw new Error('no shard')
  return shard
}

test('the same stores work over two shards: rows are distributed by market and readable when the insert is acknowledged', async () => {
  const snapshots = fc.sample(anySnapshot, { numRuns: 60, seed: 11 })
  const writer = new RowWriter()
  for (const snapshot of snapshots) writeSnapshot(writer, snapshot)
  const bytes = writer.take()
  const rows = rowInserter(first())
  await rows.insertRaw('snapshots', 1, [bytes])
  const counts = await Promise.all(
    shards.map((shard) => valuesOf(shard, 'SELECT toUInt32(count()) FROM snapshots_local')),
  )
  expect(Math.min(...counts.flat().map(Number))).toBeGreaterThan(10)
  expect(counts.flat().reduce<number>((sum, count) => sum + Number(count), 0)).toBe(60)

  await rows.insertRaw('snapshots', 1, [bytes])
  for (const shard of shards)
    for (const snapshot of snapshots) {
      const span = { ...snapshot, ...day }
      expect(await snapshotStore(shard).range(span, { order: 'desc', limit: 5 })).toEqual([snapshot])
    }
  const [someDay] = await marketDayStore(first()).days(snapshots[0]?.marketId ?? '')
  expect(someDay?.rowCount).toBe(1)
  expect(await gapStore(first()).uncoveredHoles(day)).toEqual([])
})

test('a query for one market reads one shard', async () => {
  const snapshots = fc.sample(anySnapshot, { numRuns: 60, seed: 11 }).slice(0, 8)
  const partReads = () =>
    Promise.all(shards.map((shard) => valuesOf(shard, "SELECT value FROM system.events WHERE event = 'SelectedParts'")))
  for (const snapshot of snapshots) {
    const before = await partReads()
    await snapshotStore(first()).range({ ...snapshot, ...day }, { order: 'asc', limit: 1 })
    const after = await partReads()
    const opened = after.filter(([count], index) => Number(count) > Number(before[index]?.[0]))
    expect(opened).toHaveLength(1)
  }
})
