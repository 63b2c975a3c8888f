import { zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'

/** The rows of a Parquet file; 64-bit integers as numbers, times as epoch milliseconds. */
export async function readParquet(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  const rows = await parquetReadObjects({ file, compressors: { ZSTD: (input) => zstdDecompressSync(input) } })
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Date ? value.getTime() : value
}
