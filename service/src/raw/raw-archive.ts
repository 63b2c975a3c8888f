import { mkdir, statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RawRecord, RawSink } from '../domain/raw-record.ts'
import { BlockBuilder, bytesFor, type FilledBlock } from './block-builder.ts'
import type { RawMetrics } from './raw-metrics.ts'
import { ABANDONED_AFTER_MS } from './seal-abandoned.ts'
import { SegmentWriter } from './segment-writer.ts'

export interface RawLimits {
  /** Before compression. */
  readonly blockBytes: number
  /** A block that is not full is written after this time. */
  readonly blockMs: number
  readonly segmentBytes: number
  readonly segmentMs: number
  /** Filled blocks that wait for the disk. */
  readonly queueBytes: number
  /** After a pause, the disk is tried again this often. */
  readonly retryMs: number
}

export const RAW_LIMITS: RawLimits = {
  blockBytes: 1024 * 1024,
  blockMs: 2_000,
  segmentBytes: 64 * 1024 * 1024,
  segmentMs: 300_000,
  queueBytes: 64 * 1024 * 1024,
  retryMs: 5_000,
}

export interface RawArchiveOptions {
  readonly folder: string
  readonly recorder: string
  /** With less free space than this the archive stops writing, so that rows can still be stored. */
  readonly minFreeBytes: number
  readonly log: Logger
  readonly metrics: RawMetrics
  readonly limits?: Partial<RawLimits>
  readonly onSealed?: () => void
}

type DropReason = 'disk_full' | 'disk_failed' | 'disk_slow' | 'too_large'

const LOG_EVERY_MS = 60_000
/** Larger than any frame that a venue may send. */
const LARGEST_RECORD_BYTES = 32 * 1024 * 1024

/**
 * Everything that a recorder receives and decides, in order, in files. `append` copies the record into a block in
 * memory; blocks are compressed and written beside it. Records that the disk can't take are dropped and counted, and
 * a record of the kind `dropped` tells readers what is missing.
 */
export class RawArchive implements RawSink {
  readonly #options: RawArchiveOptions
  readonly #limits: RawLimits
  readonly #timer: NodeJS.Timeout
  #block: BlockBuilder
  #blockSince = performance.now()
  #queue: FilledBlock[] = []
  #queuedBytes = 0
  #segment: SegmentWriter | undefined
  #segments = 0
  #wroteAtMs = performance.now()
  #writing = Promise.resolve()
  #isWriting = false
  #paused: DropReason | undefined
  #dropped: { records: number; fromMs: number; toMs: number; reason: DropReason } | undefined
  #loggedAtMs = Number.NEGATIVE_INFINITY
  readonly #closing = new AbortController()

  constructor(options: RawArchiveOptions) {
    this.#options = options
    this.#limits = { ...RAW_LIMITS, ...options.limits }
    this.#block = new BlockBuilder(this.#limits.blockBytes)
    this.#timer = setInterval(() => this.#closeOldBlock(), this.#limits.blockMs / 2).unref()
  }

  append(record: RawRecord): void {
    if (this.#closing.signal.aborted) return
    if (this.#paused !== undefined) return this.#drop(record, this.#paused)
    const reason = this.#tellDropped(record.atMs) ?? this.#tryAppend(record)
    if (reason !== undefined) this.#drop(record, reason)
  }

  /** Resolves when everything appended before is in a file, or dropped. */
  async flush(): Promise<void> {
    this.#closeBlock()
    await this.#writing
  }

  /** Writes everything and seals the segment. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.flush()
    await this.#seal().catch((error: unknown) => this.#warn(error, 'sealing raw segment failed'))
  }

  /** Returns why there is no room for the record, or undefined. */
  #tryAppend(record: RawRecord): DropReason | undefined {
    if (this.#block.append(record)) return undefined
    const needed = bytesFor(record)
    if (needed > LARGEST_RECORD_BYTES) return 'too_large'
    if (this.#queuedBytes + needed > this.#limits.queueBytes) return 'disk_slow'
    this.#closeBlock()
    this.#block = new BlockBuilder(Math.max(needed, this.#limits.blockBytes))
    this.#block.append(record)
    return undefined
  }

  /** Before the first record after dropped ones, tells readers what is missing. */
  #tellDropped(atMs: number): DropReason | undefined {
    if (this.#dropped === undefined) return undefined
    const body = JSON.stringify(this.#dropped)
    const reason = this.#tryAppend({ kind: 'dropped', atMs, venue: '', stream: '', body })
    if (reason === undefined) this.#dropped = undefined
    return reason
  }

  #drop({ atMs }: RawRecord, reason: DropReason): void {
    this.#countDropped(1, atMs, reason)
    this.#warn(undefined, 'raw records dropped')
  }

  #countDropped(records: number, atMs: number, reason: DropReason): void {
    const { fromMs = atMs, toMs = atMs, records: before = 0 } = this.#dropped ?? {}
    const span = { fromMs: Math.min(fromMs, atMs), toMs: Math.max(toMs, atMs) }
    this.#dropped = { records: before + records, ...span, reason }
    this.#options.metrics.dropped.inc({ reason }, records)
  }

  #closeOldBlock(): void {
    if (performance.now() - this.#blockSince >= this.#limits.blockMs) this.#closeBlock()
  }

  #closeBlock(): void {
    this.#blockSince = performance.now()
    if (this.#block.isEmpty) return
    const block = this.#block.filled()
    this.#queue.push(block)
    this.#countQueued(block.bytes.length)
    this.#block = new BlockBuilder(this.#limits.blockBytes)
    if (!this.#isWriting) this.#writing = this.#writeQueue()
  }

  #countQueued(bytes: number): void {
    this.#queuedBytes += bytes
    this.#options.metrics.queuedBytes.set(this.#queuedBytes)
  }

  async #writeQueue(): Promise<void> {
    this.#isWriting = true
    for (let block = this.#queue[0]; block !== undefined; block = this.#queue[0]) {
      try {
        await this.#write(block)
        this.#queue.shift()
        this.#countQueued(-block.bytes.length)
      } catch (error) {
        await this.#pause(error)
      }
    }
    this.#isWriting = false
  }

  async #write(block: FilledBlock): Promise<void> {
    const { folder, recorder, metrics } = this.#options
    await this.#requireSpace()
    // After a long pause of this process, another one may have taken the segment for abandoned.
    if (performance.now() - this.#wroteAtMs > ABANDONED_AFTER_MS / 2) await this.#seal().catch(() => {})
    this.#segment ??= await SegmentWriter.open(folder, recorder, this.#segments + 1, block.minMs)
    if (this.#segment.bytes === 0) this.#segments++
    const bytes = await this.#segment.write(block)
    this.#wroteAtMs = performance.now()
    metrics.storedBytes.inc(bytes)
    metrics.rawBytes.inc(block.bytes.length)
    for (const [kind, count] of Object.entries(block.kinds)) metrics.records.inc({ kind }, count)
    const { segmentBytes, segmentMs } = this.#limits
    if (this.#segment.bytes >= segmentBytes || Math.abs(block.maxMs - this.#segment.startMs) >= segmentMs)
      await this.#seal()
  }

  async #seal(): Promise<void> {
    const segment = this.#segment
    this.#segment = undefined
    if ((await segment?.seal()) !== undefined) this.#options.onSealed?.()
  }

  async #requireSpace(): Promise<void> {
    const { folder, minFreeBytes } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < minFreeBytes) throw new TooLittleSpace(`${bavail * bsize} bytes are free in ${folder}`)
  }

  /** Gives up everything that waits, and waits until the disk can be written again. */
  async #pause(error: unknown): Promise<void> {
    const { signal } = this.#closing
    const { code } = error as NodeJS.ErrnoException
    const isFull = error instanceof TooLittleSpace || code === 'ENOSPC' || code === 'EDQUOT'
    this.#paused = isFull ? 'disk_full' : 'disk_failed'
    this.#options.metrics.paused.set(1)
    this.#warn(error, 'raw archive paused')
    this.#giveUpQueue(this.#paused)
    await this.#seal().catch(() => {})
    while (!signal.aborted) {
      await sleep(this.#limits.retryMs, undefined, { ref: false, signal }).catch(() => {})
      try {
        await this.#requireSpace()
        break
      } catch (again) {
        this.#warn(again, 'raw archive still paused')
      }
    }
    this.#paused = undefined
    this.#options.metrics.paused.set(0)
    this.#options.log.info({ dropped: this.#dropped?.records }, 'raw archive resumed')
  }

  #giveUpQueue(reason: DropReason): void {
    for (const { records, minMs, maxMs } of [...this.#queue, this.#block.filled()]) {
      if (records === 0) continue
      this.#countDropped(0, minMs, reason)
      this.#countDropped(records, maxMs, reason)
    }
    this.#queue = []
    this.#countQueued(-this.#queuedBytes)
    this.#block = new BlockBuilder(this.#limits.blockBytes)
  }

  #warn(error: unknown, message: string): void {
    if (performance.now() - this.#loggedAtMs < LOG_EVERY_MS) return
    this.#loggedAtMs = performance.now()
    const { folder, log } = this.#options
    log.warn({ err: error, folder, reason: this.#dropped?.reason, dropped: this.#dropped?.records }, message)
  }
}

class TooLittleSpace extends Error {
  override readonly name = 'TooLittleSpace'
}
