import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'vitest'
import { gapStore, type Hole } from '../../src/stores/books/gaps.ts'
import { snapshotStore } from '../../src/stores/books/snapshots.ts'
import { valuesOf } from '../clickhouse/open-clickhouse.ts'
import type { RecordScene } from './record-scene.ts'
import { report } from './report.ts'

/** What the archive stored, and what is wrong with it. */
export interface StoredRowsCheck {
  holes: Hole[]
  /** Slots that the store returns more than once. */
  servedTwice: number
  /** Slots that were sampled more than once; a message stored twice does not count. */
  sampledTwice: number
  /** Rows that NATS acknowledged and that are not stored. */
  lost: number
  rowCount: number
  perpCount: number
  /** Gap records of missing rows, by cause. */
  missingBy: Record<string, number>
}

const HOUR_MS = 3_600_000

export async function clearTables(client: ClickHouseClient): Promise<void> {
  for (const table of ['snapshots', 'perp_snapshots', 'gaps', 'trades', 'market_days'])
    await client.command({ query: `TRUNCATE TABLE ${table}` })
}

/** `market slot` of every row that NATS has acknowledged so far. */
export function acknowledgedRows(emissionLog: string): string[] {
  // A kill may have cut the line that was being written.
  const lines = readFileSync(emissionLog, 'utf8').split('\n')
  return lines.filter((line) => /^0x[0-9a-f]{64} \d+$/.test(line))
}

/** Archives every published message, then checks the stored rows. */
export async function checkArchivedRows(scene: RecordScene): Promise<StoredRowsCheck> {
  const endArchive = await scene.startArchive()
  await expect.poll(() => scene.waiting()).toBe(0)
  await endArchive()
  const check = await checkStoredRows(scene.client, acknowledgedRows(scene.emissionLog))
  report(`${check.rowCount} rows; records of missing ones`, check.missingBy)
  return check
}

export async function checkStoredRows(
  client: ClickHouseClient,
  acknowledged: readonly string[],
): Promise<StoredRowsCheck> {
  const span = { fromMs: Date.now() - 2 * HOUR_MS, toMs: Date.now() + 2 * HOUR_MS }
  const count = async (what: string): Promise<number> => Number((await valuesOf(client, `SELECT toUInt32(${what}`))[0])
  const sampled = 'slot, captured_at, event_at, received_at'
  const twice = await count(`uniqExact(market_id, ${sampled}) - uniqExact(market_id, slot)) FROM snapshots`)
  const perpsTwice = await count(`uniqExact(symbol, ${sampled}) - uniqExact(symbol, slot)) FROM perp_snapshots`)
  const causes = await valuesOf(client, "SELECT cause FROM gaps WHERE kind = 'missing'")
  const missingBy = Object.fromEntries(
    [...Map.groupBy(causes, String)].map(([cause, records]) => [cause, records.length]),
  )
  return {
    holes: await gapStore(client).uncoveredHoles(span),
    servedTwice: await rowsServedTwice(client, span),
    sampledTwice: twice + perpsTwice,
    lost: await lostRows(client, acknowledged),
    rowCount: await count('uniqExact(market_id, slot)) FROM snapshots'),
    perpCount: await count('uniqExact(symbol, slot)) FROM perp_snapshots'),
    missingBy,
  }
}

async function rowsServedTwice(client: ClickHouseClient, span: { fromMs: number; toMs: number }): Promise<number> {
  const markets = await client.query({
    query: "SELECT DISTINCT concat('0x', lower(hex(market_id))) AS marketId, interval_ms AS intervalMs FROM snapshots",
    format: 'JSONEachRow',
  })
  let twice = 0
  for (const market of await markets.json<{ marketId: string; intervalMs: number }>()) {
    const rows = await snapshotStore(client).range({ ...market, ...span }, { order: 'asc', limit: 10_000 })
    twice += rows.length - new Set(rows.map(({ slot }) => slot)).size
  }
  return twice
}

async function lostRows(client: ClickHouseClient, acknowledged: readonly string[]): Promise<number> {
  const keys = "SELECT concat('0x', lower(hex(market_id)), ' ', toString(slot)) FROM snapshots"
  const stored = new Set(await valuesOf(client, keys))
  return acknowledged.filter((key) => !stored.has(key)).length
}

/** The expected result after every fault. */
export const SOUND = { holes: [], servedTwice: 0, sampledTwice: 0, lost: 0 } as const
