import { crc32 } from 'node:zlib'
import { currentSchema, ROW_TABLES, type RowTable } from '../domain/rows/row-table.ts'
import { slotTimeMs } from '../domain/slot.ts'
import {
  BATCH_MAGIC,
  BATCH_VERSION,
  type BatchHead,
  CHECKED_FROM,
  CRC_AT,
  DAY_MS,
  ENTRY_BYTES,
  HEAD_BYTES,
  type IndexEntry,
  MARKET_BYTES,
  SECTION_BYTES,
} from './batch.ts'

export interface EncodedBatch extends BatchHead {
  bytes: Buffer
}

/** Rows of one day that are not in a message yet. */
interface OpenBatch {
  day: number
  byteCount: number
  rows: Map<RowTable, Uint8Array[]>
  entries: IndexEntry[]
  snapshotBytes: number
}

/** NATS accepts messages up to 1 MiB; the largest row has about 400 KB and still fits after this size. */
const CLOSE_AT_BYTES = 448 * 1024

/** Collects encoded rows of a shard into messages; each message has a limited size and rows of one day only. */
export class BatchWriter {
  readonly #shard: string
  readonly #epoch: number
  readonly #closeAtBytes: number
  #nextN = 0
  #open = new Map<number, OpenBatch>()
  #closed: OpenBatch[] = []

  constructor({
    shard,
    epoch,
    closeAtBytes = CLOSE_AT_BYTES,
  }: { shard: string; epoch: number; closeAtBytes?: number }) {
    this.#shard = shard
    this.#epoch = epoch
    this.#closeAtBytes = closeAtBytes
  }

  /** Adds a row made by `writeSnapshot`; its bytes are not copied. */
  addSnapshot(row: Uint8Array, { marketId, slot, intervalMs }: Omit<IndexEntry, 'offset'>): void {
    const batch = this.#batchFor(slotTimeMs(slot, intervalMs))
    batch.entries.push({ marketId, slot, intervalMs, offset: batch.snapshotBytes })
    batch.snapshotBytes += row.length
    this.#add(batch, 'snapshots', row, ENTRY_BYTES)
  }

  /** Adds a row of another table; `atMs` decides its day partition: start of the gap, time of the trade or slot. */
  addRow(table: Exclude<RowTable, 'snapshots'>, row: Uint8Array, atMs: number): void {
    this.#add(this.#batchFor(atMs), table, row, 0)
  }

  /** Returns the messages of the tick and empties the writer; message numbers continue. */
  take(tickAtMs: number): EncodedBatch[] {
    const batches = [...this.#closed, ...this.#open.values()]
    this.#closed = []
    this.#open.clear()
    return batches.map((batch) => {
      const head = { shard: this.#shard, epoch: this.#epoch, n: this.#nextN++, tickAtMs, day: batch.day }
      return { ...head, bytes: encode(head, batch) }
    })
  }

  #batchFor(atMs: number): OpenBatch {
    const day = Math.floor(atMs / DAY_MS)
    const open = this.#open.get(day)
    if (open !== undefined) return open
    const batch = { day, byteCount: 0, rows: new Map(), entries: [], snapshotBytes: 0 }
    this.#open.set(day, batch)
    return batch
  }

  #add(batch: OpenBatch, table: RowTable, row: Uint8Array, indexBytes: number): void {
    const rows = batch.rows.get(table)
    if (rows === undefined) batch.rows.set(table, [row])
    else rows.push(row)
    batch.byteCount += row.length + indexBytes
    if (batch.byteCount < this.#closeAtBytes) return
    this.#open.delete(batch.day)
    this.#closed.push(batch)
  }
}

function encode(head: BatchHead, { rows, entries }: OpenBatch): Buffer {
  const sections = [...rows].map(([table, parts]) => ({ table, rowCount: parts.length, bytes: Buffer.concat(parts) }))
  const rowBytes = sections.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const name = Buffer.from(head.shard)
  const length = HEAD_BYTES + name.length + sections.length * SECTION_BYTES + entries.length * ENTRY_BYTES + rowBytes
  const message = Buffer.allocUnsafe(length)
  message.write(BATCH_MAGIC, 0, 'latin1')
  message.writeUInt8(BATCH_VERSION, 4)
  message.writeUInt32LE(length, 9)
  message.writeUInt16LE(name.length, 13)
  writeUint64(message, head.epoch, 15)
  writeUint64(message, head.n, 23)
  writeUint64(message, head.tickAtMs, 31)
  message.writeUInt32LE(head.day, 39)
  message.writeUInt8(sections.length, 43)
  message.writeUInt32LE(entries.length, 44)
  message.set(name, HEAD_BYTES)
  let at = HEAD_BYTES + name.length
  for (const { table, rowCount, bytes } of sections) {
    message.writeUInt8(ROW_TABLES.indexOf(table), at)
    message.writeUInt16LE(currentSchema(table), at + 1)
    message.writeUInt32LE(rowCount, at + 3)
    message.writeUInt32LE(bytes.length, at + 7)
    at += SECTION_BYTES
  }
  for (const entry of entries.toSorted((one, other) => (one.marketId < other.marketId ? -1 : 1))) {
    message.write(entry.marketId.slice(2), at, MARKET_BYTES, 'hex')
    writeUint64(message, entry.slot, at + 32)
    message.writeUInt32LE(entry.intervalMs, at + 40)
    message.writeUInt32LE(entry.offset, at + 44)
    at += ENTRY_BYTES
  }
  for (const { bytes } of sections) {
    message.set(bytes, at)
    at += bytes.length
  }
  message.writeUInt32LE(crc32(message.subarray(CHECKED_FROM)), CRC_AT)
  return message
}

function writeUint64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % 0x1_0000_0000, at)
  bytes.writeUInt32LE(Math.floor(value / 0x1_0000_0000), at + 4)
}
