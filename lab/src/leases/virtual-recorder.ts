import type { KeyValues } from '@bookreel/service/bus/key-values'
import { RecorderBoard } from '@bookreel/service/bus/recorder-board'
import { ShardLeases } from '@bookreel/service/bus/shard-leases'
import type { StoredBatches } from '@bookreel/service/bus/stored-batches'
import type { Timer } from '@bookreel/service/bus/timer'
import { captureMetrics } from '@bookreel/service/capture/capture-metrics'
import { recordSamples } from '@bookreel/service/capture/record-samples'
import type { SampledMarket } from '@bookreel/service/capture/sampled-market'
import { SamplingClock } from '@bookreel/service/capture/sampling-clock'
import type { Random } from '@bookreel/simulator/world/random'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { VirtualBus } from './virtual-bus.ts'
import type { VirtualTime } from './virtual-time.ts'

export const GROUP = 'virtual'
export const SHARDS = 3
export const TICK_MS = 500
export const TTL_MS = 3_000
/** The simulated time begins here, so that slots are as large as real ones. */
export const START_MS = 1_794_000_000_000
const STORED_KEPT_MS = 20_000
const ANSWER_WITHIN_MS = 5_000

export interface VirtualRecorderOptions {
  readonly name: string
  readonly time: VirtualTime
  readonly bus: VirtualBus
  readonly random: Random
  readonly capacity: number
  readonly standbys: number
  readonly markets: readonly SampledMarket[]
}

/** The real recorder of one process, with a clock and a bus that the experiment controls. */
export class VirtualRecorder {
  readonly name: string
  readonly board: RecorderBoard
  readonly #options: VirtualRecorderOptions
  readonly #stop = new AbortController()
  readonly running: Promise<void>
  isDead = false
  #pausedUntilMs = 0
  #cutOffUntilMs = 0
  #deliveredAtMs = 0

  constructor(options: VirtualRecorderOptions) {
    this.#options = options
    this.name = options.name
    const { bus, capacity, standbys, markets } = options
    const timer: Timer = {
      monotonicMs: () => options.time.nowMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    }
    const leases = new ShardLeases({
      keys: this.#keyValues('leases'),
      states: this.#keyValues('states'),
      owner: options.name,
      ttlMs: TTL_MS,
      timer,
    })
    const clock = new SamplingClock({
      monotonicMs: () => options.time.nowMs,
      wallMs: () => START_MS + options.time.nowMs,
    })
    this.board = new RecorderBoard({ leases, capacity, standbys, groups: [GROUP], onTrouble: () => {} })
    const boardStop = new AbortController()
    const announcing = this.board.run(boardStop.signal)
    this.running = recordSamples(
      {
        jetstream: { publish: (subject, data, given) => this.#publish(subject, data as Uint8Array, given) },
        leases,
        board: this.board,
        stored: this.#storedBatches(bus),
        group: GROUP,
        shardCount: SHARDS,
        intervalMs: TICK_MS,
        markets,
        owner: options.name,
        clock,
        emissionLog: undefined,
        log: pino({ level: 'silent' }),
        metrics: captureMetrics(new Registry()),
      },
      this.#stop.signal,
    ).then(async () => {
      boardStop.abort()
      await announcing
      this.isDead = true
    })
  }

  /** As with SIGTERM. */
  leave(): void {
    this.#stop.abort()
  }

  /** As with SIGKILL. */
  kill(): void {
    this.isDead = true
  }

  /** As with SIGSTOP and SIGCONT. */
  pause(ms: number): void {
    this.#pausedUntilMs = this.#options.time.nowMs + ms
  }

  /** Neither requests nor answers arrive. */
  cutOff(ms: number): void {
    this.#cutOffUntilMs = this.#options.time.nowMs + ms
  }

  get #isCutOff(): boolean {
    return this.#options.time.nowMs < this.#cutOffUntilMs
  }

  /** Runs in this process after the time, or later when it is suspended then. */
  #after(ms: number, run: () => void): void {
    this.#options.time.after(ms, () => {
      const waitMs = this.#pausedUntilMs - this.#options.time.nowMs
      if (this.isDead) return
      if (waitMs > 0) this.#after(waitMs, run)
      else run()
    })
  }

  /** Messages of one connection arrive in order. */
  #deliver(run: () => void): void {
    const { time, random } = this.#options
    this.#deliveredAtMs = Math.max(this.#deliveredAtMs, time.nowMs + random.whole(1, 8))
    this.#after(this.#deliveredAtMs - time.nowMs, run)
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true })
      if (signal?.aborted) resolve()
      else this.#after(ms, resolve)
    })
  }

  /** The request and its answer take a while; while the process is cut off, one of them is lost. */
  #request<Answer>(act: () => Answer, withinMs = ANSWER_WITHIN_MS): Promise<Answer> {
    const { time, random } = this.#options
    return new Promise((resolve, reject) => {
      this.#after(withinMs, () => reject(new Error('no answer in time')))
      if (this.#isCutOff) return
      time.after(random.whole(1, 8), () => {
        if (this.#isCutOff) return
        let answer: () => void
        try {
          const value = act()
          answer = () => resolve(value)
        } catch (error) {
          answer = () => reject(error as Error)
        }
        this.#deliver(() => {
          if (!this.#isCutOff) answer()
        })
      })
    })
  }

  #keyValues(bucket: 'leases' | 'states'): KeyValues {
    const { bus } = this.#options
    return {
      create: (key, value) => this.#request(() => bus.put(bucket, key, value, 0)),
      update: (key, value, revision, withinMs) => this.#request(() => bus.put(bucket, key, value, revision), withinMs),
      put: (key, value) => this.#request(() => bus.put(bucket, key, value)),
      delete: (key, revision) => this.#request(() => bus.delete(bucket, key, revision)),
      get: (key) => this.#request(() => bus.get(bucket, key)),
      watch: (onChange, signal) =>
        new Promise((resolve) => {
          const end = bus.watch((key, entry) => {
            // What happens while it is cut off may be forgotten when it is back.
            if (!this.#isCutOff) this.#deliver(() => onChange(key, entry))
          })
          signal.addEventListener('abort', () => {
            end()
            resolve()
          })
        }),
    }
  }

  async #publish(
    subject: string,
    data: Uint8Array,
    given?: { msgID?: string; timeout?: number; expect?: { lastSubjectSequence?: number } },
  ) {
    const shard = subject.slice(subject.indexOf('.') + 1)
    const { bus } = this.#options
    if (subject.startsWith('fence.')) {
      const seq = await this.#request(() => bus.raiseFence(shard))
      return { stream: 'rows', seq, duplicate: false }
    }
    const fence = given?.expect?.lastSubjectSequence
    const answer = await this.#request(() => bus.publish(shard, data, given?.msgID ?? '', fence), given?.timeout)
    return { stream: 'rows', ...answer }
  }

  #storedBatches(bus: VirtualBus): StoredBatches {
    const followed = new Map<string, { end: () => void; stored: { data: Uint8Array; atMs: number }[] }>()
    return {
      follow: (shard) => {
        if (followed.has(shard)) return
        const stored: { data: Uint8Array; atMs: number }[] = []
        const end = bus.read(shard, (data) => {
          if (this.#isCutOff) return
          this.#deliver(() => {
            const { nowMs } = this.#options.time
            stored.push({ data, atMs: nowMs })
            while ((stored[0]?.atMs ?? nowMs) < nowMs - STORED_KEPT_MS) stored.shift()
          })
        })
        followed.set(shard, { end, stored })
      },
      leave: (shard) => {
        followed.get(shard)?.end()
        followed.delete(shard)
      },
      of: (shard) => (followed.get(shard)?.stored ?? []).map(({ data }) => data),
    }
  }
}
