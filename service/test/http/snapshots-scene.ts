import { madeRow } from '@bookreel/testbed/service/stored-markets'
import type { TestService } from '@bookreel/testbed/service/test-service'
import type { Ladders } from '../../src/domain/book.ts'
import type { Market } from '../../src/domain/market.ts'
import { type Gap, type StoredGap, writeGap } from '../../src/domain/rows/gap.ts'
import { type PerpSnapshot, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { currentSchema, type RowTable } from '../../src/domain/rows/row-table.ts'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'

const SLOWEST_MS = 200

/** The row of a slot, a function of the slot alone, captured as late as a row can be. */
export function rowOfSlot(market: Market, slot: number): Snapshot {
  const price = 3_000 + (Math.floor(slot / 3) % 40) * 100
  const up: Ladders = {
    bids:
      slot % 11 === 0
        ? []
        : [0, 1, 2, 3, 4, 5].map((step) => ({ price: price - step * 50, size: 1_230_000 + slot + step })),
    asks: [1, 2].map((step) => ({ price: price + step * 7, size: 10_000 * step })),
  }
  const down: Ladders = { bids: [{ price: 1, size: 1 }], asks: [{ price: 9_999, size: 5_000_001 }] }
  const flags = (slot % 2 ? SNAPSHOT_FLAGS.verifiedUp : 0) | (slot % 11 === 0 ? SNAPSHOT_FLAGS.oneSided : 0)
  const row = madeRow(market, {
    atMs: slot * market.captureIntervalMs,
    up,
    flags,
    ...(slot % 5 === 0 && { down }),
    ...(slot % 7 !== 0 && { spotUsd: 90_000.5 + (slot % 7) }),
  })
  return { ...row, capturedAtMs: slot * market.captureIntervalMs + ((slot * 37) % SLOWEST_MS), spotAgeMs: slot % 300 }
}

export function rowsOfSlots(market: Market, from: number, to: number): Snapshot[] {
  return Array.from({ length: to - from + 1 }, (_, index) => rowOfSlot(market, from + index))
}

export function gapOf(market: Market, gap: Pick<Gap, 'fromSlot' | 'toSlot' | 'kind' | 'cause'>): Gap {
  const { id: marketId, captureIntervalMs: intervalMs } = market
  return { ...gap, marketId, intervalMs, knownAtSlot: gap.toSlot + 1, detail: '' }
}

type Scene = Pick<TestService, 'config'>

/** Inserts rows into ClickHouse; the user of the API is read-only. */
export async function insert({ config }: Scene, table: RowTable, write: (writer: RowWriter) => void): Promise<void> {
  const writer = new RowWriter()
  write(writer)
  await using client = openClickHouse(config)
  await rowInserter(client).insertRaw(table, currentSchema(table), [writer.take()])
}

export function archiveRows(scene: Scene, rows: readonly Snapshot[]): Promise<void> {
  return insert(scene, 'snapshots', (writer) => {
    for (const row of rows) writeSnapshot(writer, row)
  })
}

export function archivePerps(scene: Scene, rows: readonly PerpSnapshot[]): Promise<void> {
  return insert(scene, 'perp_snapshots', (writer) => {
    for (const row of rows) writePerpSnapshot(writer, row)
  })
}

export function archiveGaps(scene: Scene, gaps: readonly StoredGap[]): Promise<void> {
  return insert(scene, 'gaps', (writer) => {
    for (const gap of gaps) writeGap(writer, gap)
  })
}
