import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import type { FilledBlock } from './block-builder.ts'

/*
 * A segment is a sequence of blocks, then an index, then a trailer:
 *
 *   block    "BRZB", CRC-32 of the rest of the block, compressed bytes, bytes, records, first, least and greatest
 *            time (float64, ms), then the records compressed with zstd
 *   index    JSON (`SegmentIndex`) compressed with zstd
 *   trailer  length of the compressed index, its CRC-32, "BRZE"
 *
 * All numbers are little-endian. A file without index (a crash) is read block by block; after a damaged block the
 * reader looks for the next "BRZB" whose checksum is right.
 */
const BLOCK_MAGIC = Buffer.from('BRZB')
const END_MAGIC = Buffer.from('BRZE')
const BLOCK_HEADER_BYTES = 44
export const TRAILER_BYTES = 12
/** Frames are repetitive text; a higher level costs much more time for little. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export interface BlockPlace {
  readonly offset: number
  readonly bytes: number
  readonly records: number
  readonly minMs: number
  readonly maxMs: number
}

export interface SegmentIndex {
  readonly recorder: string
  readonly number: number
  readonly startMs: number
  readonly endMs: number
  readonly records: number
  /** Before compression. */
  readonly rawBytes: number
  readonly kinds: Readonly<Record<string, number>>
  readonly venues: Readonly<Record<string, number>>
  readonly blocks: readonly BlockPlace[]
  /** Of all bytes before the index. */
  readonly sha256: string
}

/** Compresses on the thread pool. */
export async function encodeBlock(block: FilledBlock): Promise<Buffer> {
  const packed = await compress(block.bytes, COMPRESSION)
  const bytes = Buffer.allocUnsafe(BLOCK_HEADER_BYTES + packed.length)
  BLOCK_MAGIC.copy(bytes)
  bytes.writeUInt32LE(packed.length, 8)
  bytes.writeUInt32LE(block.bytes.length, 12)
  bytes.writeUInt32LE(block.records, 16)
  bytes.writeDoubleLE(block.firstMs, 20)
  bytes.writeDoubleLE(block.minMs, 28)
  bytes.writeDoubleLE(block.maxMs, 36)
  packed.copy(bytes, BLOCK_HEADER_BYTES)
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4)
  return bytes
}

export interface StoredBlock extends BlockPlace {
  readonly firstMs: number
  readonly rawBytes: number
  readonly packed: Buffer
}

export function unpackBlock({ packed }: StoredBlock): Promise<Buffer> {
  return decompress(packed)
}

/** A part of a segment that is not a block with the right checksum. */
export interface DamagedPart {
  readonly offset: number
  readonly bytes: number
}

/** All blocks and damaged parts of the bytes, in order. */
export function* partsOf(bytes: Buffer): Generator<StoredBlock | DamagedPart> {
  let damagedFrom: number | undefined
  for (let at = 0; at < bytes.length; ) {
    const block = blockAt(bytes, at)
    if (block !== undefined) {
      if (damagedFrom !== undefined) yield { offset: damagedFrom, bytes: at - damagedFrom }
      damagedFrom = undefined
      yield block
      at += block.bytes
      continue
    }
    damagedFrom ??= at
    const next = bytes.indexOf(BLOCK_MAGIC, at + 1)
    at = next < 0 ? bytes.length : next
  }
  if (damagedFrom !== undefined) yield { offset: damagedFrom, bytes: bytes.length - damagedFrom }
}

function blockAt(bytes: Buffer, offset: number): StoredBlock | undefined {
  if (bytes.length - offset < BLOCK_HEADER_BYTES) return undefined
  if (!bytes.subarray(offset, offset + 4).equals(BLOCK_MAGIC)) return undefined
  const end = offset + BLOCK_HEADER_BYTES + bytes.readUInt32LE(offset + 8)
  if (end > bytes.length || crc32(bytes.subarray(offset + 8, end)) !== bytes.readUInt32LE(offset + 4)) return undefined
  return {
    offset,
    bytes: end - offset,
    rawBytes: bytes.readUInt32LE(offset + 12),
    records: bytes.readUInt32LE(offset + 16),
    firstMs: bytes.readDoubleLE(offset + 20),
    minMs: bytes.readDoubleLE(offset + 28),
    maxMs: bytes.readDoubleLE(offset + 36),
    packed: bytes.subarray(offset + BLOCK_HEADER_BYTES, end),
  }
}

/** Index and trailer. */
export function encodeIndex(index: SegmentIndex): Buffer {
  const packed = zstdCompressSync(JSON.stringify(index), COMPRESSION)
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(packed.length, 0)
  trailer.writeUInt32LE(crc32(packed), 4)
  END_MAGIC.copy(trailer, 8)
  return Buffer.concat([packed, trailer])
}

/** How many bytes index and trailer have, from the last bytes of a segment; undefined without a trailer. */
export function indexLength(lastBytes: Buffer): number | undefined {
  if (lastBytes.length < TRAILER_BYTES || !lastBytes.subarray(-4).equals(END_MAGIC)) return undefined
  return lastBytes.readUInt32LE(lastBytes.length - TRAILER_BYTES) + TRAILER_BYTES
}

/** Undefined when the index is missing or damaged. */
export function readIndex(lastBytes: Buffer): SegmentIndex | undefined {
  const length = indexLength(lastBytes)
  if (length === undefined || length > lastBytes.length) return undefined
  const packed = lastBytes.subarray(lastBytes.length - length, lastBytes.length - TRAILER_BYTES)
  if (crc32(packed) !== lastBytes.readUInt32LE(lastBytes.length - TRAILER_BYTES + 4)) return undefined
  return JSON.parse(zstdDecompressSync(packed).toString()) as SegmentIndex
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
