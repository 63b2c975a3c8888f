import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, wallClock } from '../domain/clock.ts'
import type { RawMetrics } from './raw-metrics.ts'
import { sealAbandoned } from './seal-abandoned.ts'
import { type SegmentPlace, type StoredSegment, segmentsIn } from './stored-segments.ts'

export interface RawKeeperOptions {
  readonly local: SegmentPlace
  readonly remote: SegmentPlace | undefined
  readonly keepMs: number
  /** How long a segment that was uploaded stays in the folder. */
  readonly keepLocalMs: number
  /** For the folder and for object storage, each. */
  readonly maxBytes: number
  readonly folder: string
  readonly log: Logger
  readonly metrics: RawMetrics
  readonly sweepEveryMs?: number
  /** Default: that of the machine. */
  readonly nowMs?: Clock
}

const SWEEP_EVERY_MS = 30_000
const LOG_EVERY_MS = 60_000

/** Seals what a crash left, uploads finished segments, and deletes the oldest, until the signal. */
export class RawKeeper {
  readonly #options: RawKeeperOptions
  readonly #nowMs: Clock
  #wake: () => void = () => {}
  #loggedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: RawKeeperOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? wallClock
  }

  /** A segment was finished. */
  wake(): void {
    this.#wake()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sweepEveryMs = SWEEP_EVERY_MS } = this.#options
    while (!signal.aborted) {
      await this.sweep()
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await Promise.race([promise, sleep(sweepEveryMs, undefined, { signal, ref: false })]).catch(() => {})
    }
  }

  /** Failures are logged and tried again in the next sweep: the folder itself is the queue of uploads. */
  async sweep(): Promise<void> {
    const { local, remote, folder } = this.#options
    try {
      await sealAbandoned(local, folder, this.#nowMs())
      const uploaded = remote === undefined ? undefined : await this.#upload(remote)
      await this.#deleteOldest(local, uploaded)
      if (remote !== undefined) await this.#deleteOldest(remote, undefined)
    } catch (error) {
      this.#warn(error, 'keeping the raw archive failed')
    }
  }

  /** Oldest first. Returns the keys that object storage has. */
  async #upload(remote: SegmentPlace): Promise<Set<string>> {
    const { local, metrics } = this.#options
    const waiting = (await segmentsIn(local)).filter(({ endMs }) => endMs !== undefined)
    let stored: Set<string>
    try {
      stored = new Set((await segmentsIn(remote)).map(({ key }) => key))
    } catch (error) {
      this.#uploadFailed(error)
      return new Set()
    }
    let left = waiting.filter(({ key }) => !stored.has(key))
    for (const { key } of left) {
      metrics.waiting.set(left.length)
      try {
        await remote.store.put(`${remote.prefix}${key}`, await local.store.get(`${local.prefix}${key}`))
      } catch (error) {
        this.#uploadFailed(error)
        break
      }
      stored.add(key)
      metrics.uploaded.inc()
      left = left.slice(1)
    }
    metrics.waiting.set(left.length)
    return stored
  }

  #uploadFailed(error: unknown): void {
    this.#options.metrics.uploadFailures.inc()
    this.#warn(error, 'uploading raw segments failed')
  }

  /** `uploaded` is given for the folder when there is object storage too. */
  async #deleteOldest(place: SegmentPlace, uploaded: ReadonlySet<string> | undefined): Promise<void> {
    const { keepMs, keepLocalMs, maxBytes, metrics } = this.#options
    const segments = await segmentsIn(place)
    let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0)
    for (const segment of segments.filter(({ endMs }) => endMs !== undefined)) {
      const ageMs = this.#nowMs() - (segment.endMs ?? 0)
      const isUploaded = uploaded?.has(segment.key) === true
      if (bytes <= maxBytes && ageMs <= keepMs && !(isUploaded && ageMs > keepLocalMs)) continue
      await this.#delete(segment)
      bytes -= segment.bytes
      metrics.deleted.inc({ place: place.name })
      if (uploaded !== undefined && !isUploaded) metrics.lost.inc()
    }
    metrics.archiveBytes.set({ place: place.name }, bytes)
  }

  async #delete({ place, key }: StoredSegment): Promise<void> {
    await place.store.delete(`${place.prefix}${key}`)
  }

  #warn(error: unknown, message: string): void {
    if (performance.now() - this.#loggedAtMs < LOG_EVERY_MS) return
    this.#loggedAtMs = performance.now()
    this.#options.log.warn({ err: error, folder: this.#options.folder }, message)
  }
}
