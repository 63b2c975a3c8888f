import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { RowReader, RowWriter } from '../domain/rows/row-binary.ts'
import { type Snapshot, snapshotSchema } from '../domain/rows/snapshot.ts'

const PIECE_BYTES = 256 * 1024
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Snapshots of one market, compressed: successive books are nearly equal, and an hour of all markets must fit in memory. */
export class PackedRows {
  readonly #writer = new RowWriter(4_096)
  readonly #packed: Buffer[] = []
  #open: Buffer[] = []
  #openBytes = 0

  add(row: Snapshot): void {
    snapshotSchema.write(this.#writer, row)
    const bytes = this.#writer.take()
    this.#open.push(bytes)
    this.#openBytes += bytes.length
    if (this.#openBytes >= PIECE_BYTES) this.#pack()
  }

  *rows(): Generator<Snapshot> {
    this.#pack()
    for (const piece of this.#packed) {
      const bytes = zstdDecompressSync(piece)
      const reader = new RowReader(bytes)
      while (!reader.isAtEnd) yield snapshotSchema.read(reader)
    }
  }

  #pack(): void {
    if (this.#openBytes === 0) return
    this.#packed.push(zstdCompressSync(Buffer.concat(this.#open), COMPRESSION))
    this.#open = []
    this.#openBytes = 0
  }
}
