import type { PerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'

/** One slot of a prediction market, located in encoded rows but not decoded. */
export interface BinaryRow {
  readonly kind: 'binary'
  readonly seq: number
  readonly rows: SnapshotRows
  readonly index: number
  readonly byteCount: number
}

/** One slot of a perpetual future, decoded. */
export interface PerpRow {
  readonly kind: 'perp'
  readonly seq: number
  readonly snapshot: PerpSnapshot
  readonly byteCount: number
}

export type StreamRow = BinaryRow | PerpRow

const BYTES_PER_LEVEL = 24

/** Copies the bytes, so that the row does not keep its whole message in memory. */
export function binaryRowOf(bytes: Uint8Array, seq: number, schema?: number): BinaryRow {
  return { kind: 'binary', seq, rows: new SnapshotRows(Buffer.from(bytes), schema), index: 0, byteCount: bytes.length }
}

export function binaryRowAt(rows: SnapshotRows, index: number): BinaryRow {
  return { kind: 'binary', seq: rows.slot(index), rows, index, byteCount: 0 }
}

export function perpRowOf(snapshot: PerpSnapshot): PerpRow {
  const levels = snapshot.ladders.bids.length + snapshot.ladders.asks.length
  return { kind: 'perp', seq: snapshot.slot, snapshot, byteCount: 200 + levels * BYTES_PER_LEVEL }
}

export function capturedAtMs(row: StreamRow): number {
  return row.kind === 'perp' ? row.snapshot.capturedAtMs : row.rows.capturedAtMs(row.index)
}
