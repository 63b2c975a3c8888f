import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity } from '@bookreel/simulator/world/market'
import type { ClickHouseClient } from '@clickhouse/client'
import { decodeBatch } from '../../src/bus/batch.ts'
import { BatchWriter, type EncodedBatch } from '../../src/bus/batch-writer.ts'
import { rowInserter } from '../../src/stores/row-inserter.ts'
import { valuesOf } from '../clickhouse/open-clickhouse.ts'
import type { ArchiveBench } from './archive-bench.ts'
import { worldTicks } from './world-rows.ts'

export interface ArchiveSpeed {
  rowCount: number
  archiveRowsPerSecond: number
  directRowsPerSecond: number
}

const SHARDS = 8
const GROUP_MESSAGES = 128

/** The archive against the same bodies posted straight to ClickHouse; each has the table for itself, empty. */
export async function measureArchiveSpeed(
  bench: ArchiveBench,
  size: Record<Activity, number>,
  ticks: number,
): Promise<ArchiveSpeed> {
  const batches = worldBatches(size, ticks)
  const sections = batches.flatMap(({ bytes }) => decodeBatch(bytes).sections)
  const rowCount = sections.reduce((sum, section) => sum + section.rowCount, 0)
  const rows = rowInserter(bench.client)

  await empty(bench.client)
  const directFromMs = performance.now()
  for (let at = 0; at < sections.length; at += GROUP_MESSAGES) {
    const bodies = sections.slice(at, at + GROUP_MESSAGES).map(({ bytes }) => bytes)
    await rows.insertRaw('snapshots', 1, bodies)
  }
  const directMs = performance.now() - directFromMs

  await empty(bench.client)
  await bench.send(batches)
  const archiveFromMs = performance.now()
  const end = await bench.startArchive({ groupMessages: GROUP_MESSAGES })
  while ((await bench.waiting()) > 0) await sleep(10)
  const archiveMs = performance.now() - archiveFromMs
  await end()
  return {
    rowCount,
    archiveRowsPerSecond: (rowCount / archiveMs) * 1_000,
    directRowsPerSecond: (rowCount / directMs) * 1_000,
  }
}

/** Bytes on the disk for one row of a market, once ClickHouse has merged all it can. */
export async function measureRowBytes(
  client: ClickHouseClient,
  activity: Activity,
  size: Record<Activity, number>,
  ticks: number,
): Promise<{ rowCount: number; bytesPerRow: number }> {
  await empty(client)
  const rows = rowInserter(client)
  let bodies: Buffer[] = []
  for (const tick of worldTicks(size, ticks)) {
    bodies.push(...tick.filter((row) => row.activity === activity).map(({ bytes }) => bytes))
    if (bodies.length < 30_000) continue
    await rows.insertRaw('snapshots', 1, bodies)
    bodies = []
  }
  if (bodies.length > 0) await rows.insertRaw('snapshots', 1, bodies)
  await client.command({ query: 'OPTIMIZE TABLE snapshots FINAL' })
  const figure = (expression: string) =>
    valuesOf(
      client,
      `SELECT toFloat64(${expression}) FROM system.parts WHERE active AND database = currentDatabase() AND table = 'snapshots'`,
    )
  const [[rowCount], [byteCount]] = await Promise.all([figure('sum(rows)'), figure('sum(bytes_on_disk)')])
  return { rowCount: Number(rowCount), bytesPerRow: Number(byteCount) / Number(rowCount) }
}

function worldBatches(size: Record<Activity, number>, ticks: number): EncodedBatch[] {
  const writers = Array.from({ length: SHARDS }, (_, shard) => new BatchWriter({ shard, epoch: 1 }))
  return [...worldTicks(size, ticks)].flatMap((rows) => {
    for (const { snapshot, bytes } of rows)
      writers[Number(`0x${snapshot.marketId.slice(-2)}`) % SHARDS]?.addSnapshot(bytes, snapshot)
    return writers.flatMap((writer) => writer.take((rows[0]?.snapshot.slot ?? 0) * 250))
  })
}

async function empty(client: ClickHouseClient): Promise<void> {
  for (const table of ['snapshots', 'market_days']) await client.command({ query: `TRUNCATE TABLE ${table}` })
}
