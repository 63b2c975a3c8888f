import { crc32 } from 'node:zlib'
import { RowReader } from '../domain/rows/row-binary.ts'
import type { RowSchema } from '../domain/rows/row-schema.ts'
import { columnsOf, ROW_TABLES, type RowTable } from '../domain/rows/row-table.ts'

/**
 * The bytes of one shard's tick, little-endian:
 * magic 4 · version u8 · CRC-32 of all that follows u32 · length of the whole u32 · bytes of the shard name u16 ·
 * epoch u64 · n u64 · tick time u64 (ms) · day u32 · sections u8 · index entries u32; then the shard name; then per
 * section {table u8, schema u16, rows u32, bytes u32}; then the index, sorted by market {market 32, slot u64, interval u32, offset u32}; then the rows.
 */
export const BATCH_MAGIC = 'BKRL'
export const BATCH_VERSION = 2
export const HEAD_BYTES = 48
export const CRC_AT = 5
export const CHECKED_FROM = 9
export const SECTION_BYTES = 11
export const ENTRY_BYTES = 48
export const MARKET_BYTES = 32

export const DAY_MS = 86_400_000

/** `shard:epoch:n` identifies the message; all its rows belong to the partition of `day`. */
export interface BatchHead {
  shard: string
  epoch: number
  n: number
  tickAtMs: number
  /** Days since the Unix epoch. */
  day: number
}

export interface BatchSection {
  table: RowTable
  schema: number
  rowCount: number
  /** Rows in RowBinary. */
  bytes: Buffer
}

/** A section that only a newer version of this program can read. */
export interface NewerSection {
  /** The table name, or its number when this version does not know the table. */
  table: string
  schema: number
}

/** Slot of a market's row, and its offset in the snapshots section. */
export interface IndexEntry {
  marketId: string
  slot: number
  intervalMs: number
  offset: number
}

export interface Batch extends BatchHead {
  /** The sections that this program can read. */
  sections: readonly BatchSection[]
  newerSections: readonly NewerSection[]
  index(): IndexEntry[]
  /** Offset of the market's row in the snapshots section. */
  offsetOf(marketId: string): number | undefined
}

export type BatchFault = 'magic' | 'version' | 'newer_version' | 'checksum' | 'length' | 'content'

/** The bytes are not a batch, or were damaged. */
export class BrokenBatch extends Error {
  readonly fault: BatchFault

  constructor(fault: BatchFault, message: string) {
    super(message)
    this.name = 'BrokenBatch'
    this.fault = fault
  }
}

/** The id that JetStream uses to discard repeated messages. */
export function messageId({ shard, epoch, n }: BatchHead): string {
  return `${shard}:${epoch}:${n}`
}

/** Shares the memory of `data`. Throws only `BrokenBatch`. */
export function decodeBatch(data: Uint8Array): Batch {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  if (bytes.length < HEAD_BYTES) throw new BrokenBatch('length', `${bytes.length} bytes are too short for a batch`)
  if (bytes.toString('latin1', 0, 4) !== BATCH_MAGIC)
    throw new BrokenBatch('magic', 'the message does not start with the magic bytes of a batch')
  const version = bytes.readUInt8(4)
  if (version > BATCH_VERSION)
    throw new BrokenBatch('newer_version', `batch format ${version} is newer than ${BATCH_VERSION}`)
  if (version < BATCH_VERSION) throw new BrokenBatch('version', `batch format ${version} is not supported`)
  const length = bytes.readUInt32LE(9)
  if (length !== bytes.length)
    throw new BrokenBatch('length', `the batch has ${bytes.length} bytes instead of ${length}`)
  if (crc32(bytes.subarray(CHECKED_FROM)) !== bytes.readUInt32LE(CRC_AT))
    throw new BrokenBatch('checksum', 'checksum mismatch')

  const sectionCount = bytes.readUInt8(43)
  const entryCount = bytes.readUInt32LE(44)
  const sectionsAt = HEAD_BYTES + bytes.readUInt16LE(13)
  const indexAt = sectionsAt + sectionCount * SECTION_BYTES
  const rowsAt = indexAt + entryCount * ENTRY_BYTES
  if (rowsAt > bytes.length) throw new BrokenBatch('content', 'the index is longer than the batch')
  const index = bytes.subarray(indexAt, rowsAt)
  return {
    shard: bytes.toString('utf8', HEAD_BYTES, sectionsAt),
    epoch: readUint64(bytes, 15),
    n: readUint64(bytes, 23),
    tickAtMs: readUint64(bytes, 31),
    day: bytes.readUInt32LE(39),
    ...readSections(bytes, sectionCount, { sectionsAt, rowsAt }),
    index: () => Array.from({ length: entryCount }, (_, number) => entryAt(index, number)),
    offsetOf: (marketId) => findOffset(index, entryCount, Buffer.from(marketId.slice(2), 'hex')),
  }
}

/** Decodes all rows of a table in the batch, whatever their schema. */
export function* rowsIn<Row>(batch: Batch, table: RowTable, schema: RowSchema<Row>): Generator<Row> {
  for (const section of batch.sections) {
    if (section.table !== table) continue
    const reader = new RowReader(section.bytes)
    while (!reader.isAtEnd) yield schema.read(reader, section.schema)
  }
}

function readSections(
  bytes: Buffer,
  count: number,
  { sectionsAt, rowsAt }: { sectionsAt: number; rowsAt: number },
): Pick<Batch, 'sections' | 'newerSections'> {
  const sections: BatchSection[] = []
  const newerSections: NewerSection[] = []
  let at = rowsAt
  for (let number = 0; number < count; number++) {
    const head = sectionsAt + number * SECTION_BYTES
    const tableNumber = bytes.readUInt8(head)
    const table = ROW_TABLES[tableNumber]
    const schema = bytes.readUInt16LE(head + 1)
    const rowCount = bytes.readUInt32LE(head + 3)
    const end = at + bytes.readUInt32LE(head + 7)
    if (schema === 0) throw new BrokenBatch('content', 'a section has no schema')
    if (table === undefined || columnsOf(table, schema) === undefined)
      newerSections.push({ table: table ?? `table ${tableNumber}`, schema })
    else sections.push({ table, schema, rowCount, bytes: bytes.subarray(at, end) })
    at = end
  }
  if (at !== bytes.length) throw new BrokenBatch('content', 'the sections do not have the length of the batch')
  return { sections, newerSections }
}

function entryAt(index: Buffer, number: number): IndexEntry {
  const at = number * ENTRY_BYTES
  return {
    marketId: `0x${index.toString('hex', at, at + MARKET_BYTES)}`,
    slot: readUint64(index, at + 32),
    intervalMs: index.readUInt32LE(at + 40),
    offset: index.readUInt32LE(at + 44),
  }
}

function findOffset(index: Buffer, count: number, market: Buffer): number | undefined {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = middle * ENTRY_BYTES
    const order = index.compare(market, 0, market.length, at, at + MARKET_BYTES)
    if (order === 0) return index.readUInt32LE(at + 44)
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

function readUint64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 0x1_0000_0000 + bytes.readUInt32LE(at)
}
