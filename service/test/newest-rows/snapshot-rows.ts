import { createHash } from 'node:crypto'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '../../src/domain/rows/snapshot.ts'
import type { NewestRow } from '../../src/stores/books/newest-rows.ts'

const writer = new RowWriter()

export function marketIdOf(name: string | number): string {
  return `0x${createHash('sha256').update(String(name)).digest('hex')}`
}

/** A book of so many levels a side that differs from slot to slot. */
export function snapshotOf(marketId: string, slot: number, levels = 3): Snapshot {
  const side = (first: number, step: number) =>
    Array.from({ length: levels }, (_, index) => ({ price: first + index * step, size: 1_000_000 * (1 + (slot % 97)) }))
  const up = { bids: side(5_000, -100), asks: side(5_200, 100) }
  const mirrored = (first: number, step: number) => side(first, step)
  return {
    marketId,
    slot,
    intervalMs: 250,
    capturedAtMs: slot * 250 + 1,
    eventAtMs: slot * 250 - 20,
    receivedAtMs: slot * 250 - 10,
    flags: SNAPSHOT_FLAGS.mirrored | SNAPSHOT_FLAGS.verifiedUp,
    spotPrice: 0,
    spotAgeMs: 0,
    changes: 1,
    up,
    down: { bids: mirrored(4_800, -100), asks: mirrored(5_000, 100) },
  }
}

export function rowOf(marketId: string, slot: number, levels?: number): NewestRow {
  writeSnapshot(writer, snapshotOf(marketId, slot, levels))
  return { marketId, slot, schema: 1, bytes: writer.take() }
}
