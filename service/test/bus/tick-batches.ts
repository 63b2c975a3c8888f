import { BatchWriter, type EncodedBatch } from '../../src/bus/batch-writer.ts'
import { mirrorOf } from '../../src/domain/book.ts'
import { RowWriter } from '../../src/domain/rows/row-binary.ts'
import { SNAPSHOT_FLAGS, type Snapshot, writeSnapshot } from '../../src/domain/rows/snapshot.ts'

export const INTERVAL_MS = 250
export const START_MS = Date.UTC(2026, 10, 14, 12)

export function marketIdOf(market: number): string {
  return `0x${market.toString(16).padStart(64, '0')}`
}

export function snapshotOf(market: number, tick: number): Snapshot {
  const atMs = START_MS + tick * INTERVAL_MS
  const up = { bids: [{ price: 4_000, size: 1_000_000 + tick }], asks: [{ price: 6_000, size: 2_000_000 + market }] }
  const flags = SNAPSHOT_FLAGS.verifiedUp | SNAPSHOT_FLAGS.verifiedDown | SNAPSHOT_FLAGS.mirrored
  const times = { capturedAtMs: atMs + 3, eventAtMs: atMs - 40, receivedAtMs: atMs - 20 }
  const spot = { spotPrice: 0, spotAgeMs: 0 }
  const place = { marketId: marketIdOf(market), slot: atMs / INTERVAL_MS, intervalMs: INTERVAL_MS }
  return { ...place, ...times, flags, ...spot, changes: 1, up, down: mirrorOf(up) }
}

/** One message for each tick, with a row for each market. */
export function tickBatches(options: {
  ticks: number
  markets: number
  shard?: string
  epoch?: number
}): EncodedBatch[] {
  const writer = new BatchWriter({ shard: options.shard ?? 'polymarket.1', epoch: options.epoch ?? 1 })
  return Array.from({ length: options.ticks }, (_, tick) => {
    for (let market = 0; market < options.markets; market++) {
      const snapshot = snapshotOf(market, tick)
      const row = new RowWriter(256)
      writeSnapshot(row, snapshot)
      writer.addSnapshot(row.take(), snapshot)
    }
    return writer.take(START_MS + tick * INTERVAL_MS)
  }).flat()
}
