import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FilledBlock } from './block-builder.ts'
import { encodeBlock, encodeIndex } from './segment-format.ts'
import { segmentKey } from './segment-name.ts'
import { SegmentSummary } from './segment-summary.ts'

/** After a power failure at most this much time is missing; after a crash of the process only what was in memory. */
const SYNC_EVERY_MS = 10_000

/** One segment while it is written. */
export class SegmentWriter {
  readonly startMs: number
  readonly #folder: string
  readonly #key: string
  readonly #file: FileHandle
  readonly #summary: SegmentSummary
  #syncedAtMs = performance.now()

  private constructor(folder: string, key: string, startMs: number, file: FileHandle, summary: SegmentSummary) {
    this.#folder = folder
    this.#key = key
    this.startMs = startMs
    this.#file = file
    this.#summary = summary
  }

  static async open(folder: string, recorder: string, number: number, startMs: number): Promise<SegmentWriter> {
    const key = segmentKey({ recorder, number, startMs, endMs: undefined })
    const path = join(folder, key)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return new SegmentWriter(folder, key, startMs, await open(path, 'wx', 0o600), new SegmentSummary(recorder, number))
  }

  get bytes(): number {
    return this.#summary.bytes
  }

  /** Returns the bytes written. A failed write leaves the blocks before it readable. */
  async write(block: FilledBlock): Promise<number> {
    const stored = await encodeBlock(block)
    await writeAll(this.#file, stored, this.#summary.bytes)
    this.#summary.add(stored, block.bytes.length, block)
    if (performance.now() - this.#syncedAtMs >= SYNC_EVERY_MS) {
      await this.#file.datasync()
      this.#syncedAtMs = performance.now()
    }
    return stored.length
  }

  /** Adds the index, gives the file its final name, and returns its key; undefined when nothing was written. */
  async seal(): Promise<string | undefined> {
    const from = join(this.#folder, this.#key)
    const summary = this.#summary
    {
      await using file = this.#file
      await file.truncate(summary.bytes)
      if (!summary.isEmpty) {
        await writeAll(file, encodeIndex(summary.index()), summary.bytes)
        await file.sync()
      }
    }
    if (summary.isEmpty) {
      await rm(from, { force: true })
      return undefined
    }
    const { recorder, number } = summary
    const key = segmentKey({ recorder, number, startMs: this.startMs, endMs: summary.endMs })
    await rename(from, join(this.#folder, key))
    return key
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}
