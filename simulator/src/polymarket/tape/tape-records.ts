import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Outcome } from '../book-text.ts'
import type { Audience } from '../feed-frames.ts'
import { frameHead } from './frame-head.ts'

/** A frame in the bytes of the WebSocket protocol. */
export interface WrittenFrame extends Audience {
  bytes: Buffer
}

/** Which event the frames belong to. */
export interface RecordKey {
  /** Number of the market in its world. */
  order: number
  atMs: number
}

/** Large enough to be compressed well, small enough to be unpacked without a pause that clients notice. */
const BLOCK_BYTES = 512 * 1024
const QUICK = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** A record begins with the market, the time and the number of frames. */
const KEY_BYTES = 4 + 8 + 2
/** A frame begins with its audience and its length. */
const FRAME_KEY_BYTES = 1 + 4
const EITHER_TOKEN = 2
const IS_CUSTOM = 4

/** Packs the frames of events, one record for each event, into compressed blocks. */
export class RecordWriter {
  readonly #onBlock: (block: Uint8Array<ArrayBuffer>) => void
  #parts: Buffer[] = []
  #bytes = 0

  constructor(onBlock: (block: Uint8Array<ArrayBuffer>) => void) {
    this.#onBlock = onBlock
  }

  add({ order, atMs }: RecordKey, frames: readonly (Audience & { text: string })[]): void {
    const key = Buffer.allocUnsafe(KEY_BYTES)
    key.writeUInt32LE(order, 0)
    key.writeDoubleLE(atMs, 4)
    key.writeUInt16LE(frames.length, 12)
    this.#put(key)
    for (const { outcome, isCustom, text } of frames) {
      const body = Buffer.from(text)
      const head = frameHead(body.length)
      const frameKey = Buffer.allocUnsafe(FRAME_KEY_BYTES)
      frameKey.writeUInt8((outcome ?? EITHER_TOKEN) + (isCustom ? IS_CUSTOM : 0), 0)
      frameKey.writeUInt32LE(head.length + body.length, 1)
      for (const part of [frameKey, head, body]) this.#put(part)
    }
    if (this.#bytes >= BLOCK_BYTES) this.flush()
  }

  #put(part: Buffer): void {
    this.#parts.push(part)
    this.#bytes += part.length
  }

  /** Ends the block that is not yet full. */
  flush(): void {
    if (this.#bytes === 0) return
    this.#onBlock(new Uint8Array(zstdCompressSync(Buffer.concat(this.#parts, this.#bytes), QUICK)))
    this.#parts = []
    this.#bytes = 0
  }
}

/** Reads the records of blocks once, in order; memory of what has been read is freed. */
export class RecordReader {
  readonly #blocks: (Uint8Array | undefined)[]
  #next = 0
  #block: Buffer = Buffer.alloc(0)
  #position = 0

  constructor(blocks: readonly Uint8Array[]) {
    this.#blocks = [...blocks]
  }

  /** Undefined after the last record. */
  read(): { key: RecordKey; frames: WrittenFrame[] } | undefined {
    if (this.#position === this.#block.length && !this.#openNext()) return undefined
    const at = this.#position
    const key = { order: this.#block.readUInt32LE(at), atMs: this.#block.readDoubleLE(at + 4) }
    const count = this.#block.readUInt16LE(at + 12)
    this.#position = at + KEY_BYTES
    return { key, frames: Array.from({ length: count }, () => this.#readFrame()) }
  }

  #readFrame(): WrittenFrame {
    const audience = this.#block.readUInt8(this.#position)
    const from = this.#position + FRAME_KEY_BYTES
    this.#position = from + this.#block.readUInt32LE(this.#position + 1)
    const token = audience & (IS_CUSTOM - 1)
    return {
      outcome: token === EITHER_TOKEN ? undefined : (token as Outcome),
      isCustom: audience >= IS_CUSTOM,
      bytes: this.#block.subarray(from, this.#position),
    }
  }

  #openNext(): boolean {
    const packed = this.#blocks[this.#next]
    if (packed === undefined) return false
    this.#blocks[this.#next++] = undefined
    this.#block = zstdDecompressSync(packed)
    this.#position = 0
    return true
  }
}
