import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { raiseFence } from '../bus/fence.ts'
import { PUBLISH_LIMITS, type PublishLimits } from '../bus/publish.ts'
import type { ShardLease, ShardLeases, ShardState } from '../bus/shard-leases.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { EmissionLog } from './emission-log.ts'
import type { TickRows } from './recorder.ts'
import { type InheritedMarkets, type ResumedShard, resumedShard } from './resumed-shard.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { ShardPublisher } from './shard-publisher.ts'
import { shardSlots } from './shard-slots.ts'

const RENEW_EVERY_MS = 1_000
/** Rows wait while a lease of this process is expired, so it is requested more often. */
const RETAKE_EVERY_MS = 250

interface HeldShard {
  lease: ShardLease
  publisher: ShardPublisher
  stop: AbortController
  running: Promise<void>
  /** The saved state when the lease was acquired; it stays valid until a batch of this process is acknowledged. */
  before: Pick<ShardState, 'lastTickMs' | 'sinceTickMs' | 'marketIds' | 'waiting'>
  /** Every market of `before`; those without a new row or gap record stay in the state that we save. */
  inherited: InheritedMarkets
  heldSinceMs: number
}

/** By then discovery has listed every inherited market that is still open. */
const REDISCOVERED_WITHIN_MS = 600_000

/** What produces the rows of the shards that this process holds. */
export interface ShardRecording {
  /** Starts recording the shard; slots since the last recorder's state become gaps. */
  hold(shard: string, epoch: number, resumed: ResumedShard | undefined, atMs: number): void
  leave(shard: string, atMs: number): void
  /** These markets are in the saved state, which the next recorder reads. */
  markSaved(shard: string, marketIds: ReadonlySet<string>, atMs: number): void
  marketIdsOf(shard: string): string[]
  firstTickMs(shard: string, marketId: string): number | undefined
}

export interface ShardKeeperDeps {
  jetstream: JetStreamClient
  leases: ShardLeases
  shards: readonly string[]
  recording: ShardRecording
  owner: string
  clock: SamplingClock
  /** For all these shards; default: `PUBLISH_LIMITS`. */
  publishLimits?: Partial<PublishLimits>
  emissionLog: EmissionLog | undefined
  log: Logger
  metrics: CaptureMetrics
}

/** Acquires the leases of free shards, renews them, and drops shards that another process has taken. */
export class ShardKeeper {
  readonly #deps: ShardKeeperDeps
  readonly #held = new Map<string, HeldShard>()

  constructor(deps: ShardKeeperDeps) {
    this.#deps = deps
  }

  get queuedBytes(): number {
    return [...this.#held.values()].reduce((sum, { publisher }) => sum + publisher.queuedBytes, 0)
  }

  publish(shard: string, tickMs: number, rows: TickRows): void {
    this.#held.get(shard)?.publisher.publish(tickMs, rows)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#round()
      const areHeld = [...this.#held.values()].every(({ lease }) => lease.isHeld)
      await sleep(areHeld ? RENEW_EVERY_MS : RETAKE_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    await Promise.all([...this.#held.keys()].map((shard) => this.#release(shard)))
  }

  async #round(): Promise<void> {
    await Promise.all(
      this.#deps.shards.map(async (shard) => {
        try {
          if (this.#held.has(shard)) await this.#renew(shard)
          else await this.#acquire(shard)
        } catch (error) {
          // NATS is unavailable: leases expire by themselves, and the next round tries again.
          this.#deps.log.warn({ err: error, shard }, 'acquiring or renewing shard lease failed')
        }
      }),
    )
  }

  async #renew(shard: string): Promise<void> {
    const held = this.#held.get(shard)
    if (held === undefined) return
    if (!(await held.lease.renew())) return this.#drop(shard, 'another process holds the lease')
    await this.#saveState(held)
  }

  async #acquire(shard: string): Promise<void> {
    const { leases, jetstream, owner, recording, clock, emissionLog, log, metrics } = this.#deps
    const lease = await leases.acquire(shard)
    if (lease === undefined) return
    const fence = await raiseFence(jetstream, shard, owner)
    const state = await leases.stateOf(shard)
    const publisher = new ShardPublisher({
      jetstream,
      shard,
      epoch: lease.epoch,
      fence,
      nowMs: () => clock.nowMs(),
      limits: this.#limitsPerShard(),
      // An expired lease may be retaken when NATS is back, so batches are queued meanwhile; a process that was
      // suspended must not publish before it knows that no other process has taken the shard.
      maySend: () => lease.isHeld,
      onAcknowledged: (batch, latencyMs) => {
        metrics.ackSeconds.observe(latencyMs / 1000)
        emissionLog?.note(batch)
      },
      onGivenUp: (cause) => metrics.givenUp.inc({ cause }),
      onPricesLost: (count) => metrics.pricesLost.inc(count),
    })
    const stop = new AbortController()
    const running = publisher.run(stop.signal).catch((error: Error) => this.#drop(shard, error.message))
    const before = state ?? { lastTickMs: Math.floor(clock.nowMs()), marketIds: [], waiting: {} }
    const resumed = state && resumedShard(state, clock.nowMs())
    const inherited: InheritedMarkets = resumed?.inherited ?? new Map()
    this.#held.set(shard, { lease, publisher, stop, running, before, inherited, heldSinceMs: clock.nowMs() })
    if (resumed?.wrongTime !== undefined)
      log.warn({ shard, lastTickMs: before.lastTickMs, nowMs: clock.nowMs() }, 'earlier recorder had a clock ahead')
    recording.hold(shard, lease.epoch, resumed, clock.nowMs())
    recording.markSaved(shard, new Set(inherited.keys()), clock.nowMs())
    log.info({ shard, epoch: lease.epoch, since: state?.lastTickMs }, 'shard lease acquired')
  }

  #limitsPerShard(): PublishLimits {
    const limits = { ...PUBLISH_LIMITS, ...this.#deps.publishLimits }
    return { ...limits, queueBytes: limits.queueBytes / this.#deps.shards.length }
  }

  #drop(shard: string, reason: string): void {
    const held = this.#held.get(shard)
    if (held === undefined) return
    this.#held.delete(shard)
    this.#deps.recording.leave(shard, this.#deps.clock.nowMs())
    held.stop.abort()
    this.#deps.log.warn({ shard, reason }, 'shard lost')
  }

  async #saveState({ lease, publisher, before, inherited, heldSinceMs }: HeldShard): Promise<void> {
    const { recording, clock } = this.#deps
    const { shard } = lease
    const followed = recording.marketIdsOf(shard)
    if (publisher.accountedTickMs === undefined) {
      const marketIds = new Set([...before.marketIds, ...followed])
      await lease.saveState(before.lastTickMs, [...marketIds], before.waiting, before.sinceTickMs)
      recording.markSaved(shard, new Set([...marketIds, ...inherited.keys()]), clock.nowMs())
      return
    }
    const { accountedTickMs } = publisher
    const { marketIds, waiting } = shardSlots({
      accountedTickMs,
      followed,
      inherited,
      firstTickMs: (id) => recording.firstTickMs(shard, id),
      isDiscoveryComplete: clock.nowMs() - heldSinceMs > REDISCOVERED_WITHIN_MS,
    })
    await lease.saveState(accountedTickMs, marketIds, waiting, publisher.firstTickMs)
    recording.markSaved(shard, new Set([...marketIds, ...Object.keys(waiting)]), clock.nowMs())
  }

  /** Drains the queue, saves the state and releases the lease, so that the next recorder can start at once. */
  async #release(shard: string): Promise<void> {
    const held = this.#held.get(shard)
    if (held === undefined) return
    held.stop.abort()
    await held.running
    this.#held.delete(shard)
    try {
      await this.#saveState(held)
      await held.lease.release()
    } catch (error) {
      // NATS is unavailable: the lease expires by itself, and the next recorder writes the gap since the last state.
      this.#deps.log.warn({ err: error, shard }, 'releasing shard lease failed')
    }
  }
}
