import type { JetStreamClient } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { raiseFence } from '../bus/fence.ts'
import { PUBLISH_LIMITS, type PublishLimits } from '../bus/publish.ts'
import type { RecorderBoard } from '../bus/recorder-board.ts'
import type { ShardLease, ShardLeases } from '../bus/shard-leases.ts'
import type { ShardState } from '../bus/shard-states.ts'
import type { StoredBatches } from '../bus/stored-batches.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { EmissionLog } from './emission-log.ts'
import { PublishedTrades } from './published-trades.ts'
import { type InheritedMarkets, type ResumedShard, resumedShard } from './resumed-shard.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { ShardPlaces } from './shard-places.ts'
import { ShardPublisher } from './shard-publisher.ts'
import { shardSlots } from './shard-slots.ts'
import { StoredRows } from './stored-rows.ts'
import type { TickRows } from './tick-rows.ts'

const RENEW_EVERY_MS = 1_000
/** Rows wait while a lease of this process is expired, so it is requested more often. */
const RETAKE_EVERY_MS = 250
const LOOK_EVERY_MS = 500
/** The last tick of the recorder before must be among the retained ones. */
const RETAINED_FOR_MS = 2_000
/** How long a recorder that ends waits for others to get ready for its shards. */
const LEAVE_WITHIN_MS = 8_000

interface HeldShard {
  lease: ShardLease
  publisher: ShardPublisher
  stop: AbortController
  running: Promise<void>
  /** The saved state when the lease was acquired; it stays valid until a batch of this process is acknowledged. */
  before: Omit<ShardState, 'epoch'>
  /** Every market of `before`; those without a new row or gap record stay in the state that we save. */
  inherited: InheritedMarkets
  trades: PublishedTrades
  heldSinceMs: number
  /** It is being given to another recorder. */
  isReleased: boolean
  /** Two writes of the state at once could leave the older one. */
  saving: Promise<unknown>
  /** A renewal that is under way would make the release fail, and the next recorder would wait until the lease expires. */
  renewing: Promise<unknown>
  isRenewed: boolean
}

/** By then discovery has listed every inherited market that is still open. */
const REDISCOVERED_WITHIN_MS = 600_000

/** What produces the rows of the shards that this process holds. */
export interface ShardRecording {
  /** Starts recording the shard; slots since the last recorder's state get retained samples, or become gaps. */
  hold(shard: string, epoch: number, resumed: ResumedShard | undefined, atMs: number): void
  leave(shard: string, atMs: number): void
  /** These markets are in the saved state, which the next recorder reads. */
  markSaved(shard: string, marketIds: ReadonlySet<string>, atMs: number): void
  marketIdsOf(shard: string): string[]
  /** Since when this process could go on with the shard of another one; undefined when it can't. */
  retainedSinceMs(shard: string): number | undefined
  firstTickMs(shard: string, marketId: string): number | undefined
}

export interface ShardKeeperDeps {
  jetstream: Pick<JetStreamClient, 'publish'>
  leases: ShardLeases
  board: RecorderBoard
  stored: StoredBatches
  /** The group of shards: a venue, or `prices`. */
  group: string
  shards: readonly string[]
  recording: ShardRecording
  /** Follows the markets of these shards and of no others. */
  follow: (shards: ReadonlySet<string>) => void
  /** Whether the books of a followed shard are as good as they get. */
  isReady: (shard: string) => boolean
  owner: string
  clock: SamplingClock
  /** For all these shards; default: `PUBLISH_LIMITS`. */
  publishLimits?: Partial<PublishLimits>
  emissionLog: EmissionLog | undefined
  log: Logger
  metrics: CaptureMetrics
}

/**
 * Acquires the leases of the shards in which this process has the first rank, renews them, and gives them to the
 * recorder that has the first rank after a change, once that one is ready.
 */
export class ShardKeeper {
  readonly #deps: ShardKeeperDeps
  readonly #held = new Map<string, HeldShard>()
  readonly #places: ShardPlaces
  /** Shards that are being acquired or released. */
  readonly #busy = new Set<string>()
  #wake = Promise.withResolvers<void>()

  constructor(deps: ShardKeeperDeps) {
    this.#deps = deps
    this.#places = new ShardPlaces({
      ...deps,
      isHeld: (shard) => this.#held.has(shard),
      isReady: (shard) => this.#held.get(shard)?.lease.isHeld ?? (deps.isReady(shard) && this.#hasRetained(shard)),
    })
    deps.board.onChange(() => this.#wake.resolve())
  }

  get queuedBytes(): number {
    return [...this.#held.values()].reduce((sum, { publisher }) => sum + publisher.queuedBytes, 0)
  }

  get heldCount(): number {
    return this.#held.size
  }

  /** Shards that it could go on with at once when their recorder ends. */
  get standbyCount(): number {
    return this.#places.standbyCount
  }

  /** Whether shards in which this process is only a standby are left alone. */
  dropStandbyWork(isDropped: boolean): void {
    this.#places.dropStandbyWork(isDropped)
    this.#wake.resolve()
  }

  publish(shard: string, tickMs: number, rows: TickRows): void {
    const held = this.#held.get(shard)
    held?.trades.add(tickMs, rows.tape)
    held?.publisher.publish(tickMs, rows)
  }

  /** Until the signal; then it gives its shards to others, for as long as `LEAVE_WITHIN_MS`. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController()
    const renewing = Promise.all([this.#keepRenewed(ended.signal), this.#keepSaved(ended.signal)])
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true })
    while (!signal.aborted) {
      this.#look()
      await this.#untilWoken()
    }
    await this.#leave()
    ended.abort()
    await renewing
  }

  async #untilWoken(): Promise<void> {
    const { timer } = this.#deps.leases
    const waited = new AbortController()
    await Promise.race([this.#wake.promise, timer.sleep(LOOK_EVERY_MS, waited.signal)])
    waited.abort()
    this.#wake = Promise.withResolvers()
  }

  #hasRetained(shard: string): boolean {
    const { recording, clock } = this.#deps
    const sinceMs = recording.retainedSinceMs(shard)
    return sinceMs !== undefined && clock.nowMs() - sinceMs >= RETAINED_FOR_MS
  }

  #look(): void {
    const { board, shards } = this.#deps
    if (!board.isCurrent) return
    this.#places.look()
    for (const shard of shards) {
      if (this.#busy.has(shard)) continue
      const held = this.#held.get(shard)
      if (held !== undefined) {
        if (this.#mayRelease(shard, held)) void this.#whileBusy(shard, () => this.#release(shard))
      } else if (this.#places.mayAcquire(shard)) void this.#whileBusy(shard, () => this.#acquire(shard))
    }
  }

  /** A recorder that is gone may look alive for as long as a key lasts. */
  #mayRelease(shard: string, { heldSinceMs }: HeldShard): boolean {
    const { clock, leases } = this.#deps
    return clock.nowMs() - heldSinceMs > leases.ttlMs + LOOK_EVERY_MS && this.#places.mayRelease(shard)
  }

  async #whileBusy(shard: string, act: () => Promise<void>): Promise<void> {
    this.#busy.add(shard)
    try {
      await act()
    } catch (error) {
      // NATS is unavailable: leases expire by themselves, and the next look tries again.
      this.#deps.log.warn({ err: error, shard }, 'acquiring or releasing shard lease failed')
    } finally {
      this.#busy.delete(shard)
      this.#wake.resolve()
    }
  }

  async #keepRenewed(signal: AbortSignal): Promise<void> {
    const { timer } = this.#deps.leases
    while (!signal.aborted) {
      await Promise.all(
        [...this.#held].map(([shard, held]) => {
          if (held.isRenewed) held.renewing = this.#renew(shard, held)
          return held.renewing
        }),
      )
      const areHeld = [...this.#held.values()].every(({ lease }) => lease.isHeld)
      await timer.sleep(areHeld ? RENEW_EVERY_MS : RETAKE_EVERY_MS, signal)
    }
  }

  async #renew(shard: string, held: HeldShard): Promise<void> {
    try {
      if (!(await held.lease.renew())) this.#drop(shard, held, 'another process holds the lease')
    } catch (error) {
      // NATS is unavailable: leases expire by themselves, and the next round tries again.
      this.#deps.log.warn({ err: error, shard }, 'renewing shard lease failed')
    }
  }

  /** Apart from the renewals: a slow bucket of states must not let leases expire. */
  async #keepSaved(signal: AbortSignal): Promise<void> {
    const { timer } = this.#deps.leases
    while (!signal.aborted) {
      await Promise.all(
        [...this.#held.values()].map(async (held) => {
          if (held.isReleased || !held.lease.isHeld) return
          held.saving = this.#saveState(held).catch((err: unknown) =>
            this.#deps.log.warn({ err, shard: held.lease.shard }, 'saving shard state failed'),
          )
          await held.saving
        }),
      )
      await timer.sleep(RENEW_EVERY_MS, signal)
    }
  }

  async #acquire(shard: string): Promise<void> {
    const { leases, jetstream, owner, recording, stored, clock, emissionLog, log, metrics } = this.#deps
    const lease = await leases.acquire(shard)
    if (lease === undefined) return
    const fence = await raiseFence(jetstream, shard, owner)
    const state = await leases.stateOf(shard)
    const before: HeldShard['before'] = state ?? { lastTickMs: Math.floor(clock.nowMs()), marketIds: [], waiting: {} }
    const trades = new PublishedTrades(before.tradeIds)
    const publisher = new ShardPublisher({
      jetstream,
      shard,
      epoch: lease.epoch,
      fence,
      timer: leases.timer,
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
      onPerpTradesLost: (lost) => trades.forget(lost),
    })
    const stop = new AbortController()
    const running = publisher.run(stop.signal).catch((error: Error) => this.#dropped(shard, lease, error.message))
    const resumed = state && { ...resumedShard(state, clock.nowMs()), stored: this.#storedRows(shard, state) }
    const inherited: InheritedMarkets = resumed?.inherited ?? new Map()
    const heldSinceMs = clock.nowMs()
    const idle = { isReleased: false, isRenewed: true, saving: Promise.resolve(), renewing: Promise.resolve() }
    this.#held.set(shard, { lease, publisher, stop, running, before, inherited, trades, heldSinceMs, ...idle })
    if (resumed?.wrongTime !== undefined)
      log.warn({ shard, lastTickMs: before.lastTickMs, nowMs: clock.nowMs() }, 'earlier recorder had a clock ahead')
    recording.hold(shard, lease.epoch, resumed, clock.nowMs())
    recording.markSaved(shard, new Set(inherited.keys()), clock.nowMs())
    stored.leave(shard)
    log.info({ shard, epoch: lease.epoch, since: state?.lastTickMs }, 'shard lease acquired')
  }

  #storedRows(shard: string, { tradeIds }: ShardState): StoredRows | undefined {
    try {
      return StoredRows.in(this.#deps.stored.of(shard), tradeIds)
    } catch (error) {
      // Rows that are stored already are then published once more, which replaces them.
      this.#deps.log.warn({ err: error, shard }, 'stored rows not understood')
      return undefined
    }
  }

  #limitsPerShard(): PublishLimits {
    const limits = { ...PUBLISH_LIMITS, ...this.#deps.publishLimits }
    return { ...limits, queueBytes: limits.queueBytes / this.#deps.shards.length }
  }

  #dropped(shard: string, lease: ShardLease, reason: string): void {
    const held = this.#held.get(shard)
    if (held?.lease === lease) this.#drop(shard, held, reason)
  }

  #drop(shard: string, held: HeldShard, reason: string): void {
    if (this.#held.get(shard) !== held) return
    this.#held.delete(shard)
    this.#deps.stored.follow(shard)
    this.#deps.recording.leave(shard, this.#deps.clock.nowMs())
    held.stop.abort()
    this.#deps.log.warn({ shard, reason }, 'shard lost')
  }

  async #saveState(held: HeldShard): Promise<void> {
    const { recording, clock } = this.#deps
    const { lease } = held
    const { state, marketIds } = this.#stateOf(held)
    await lease.saveState(state.lastTickMs, state.marketIds, state.waiting, state)
    if (!held.isReleased) recording.markSaved(lease.shard, marketIds, clock.nowMs())
  }

  /** The state to save now, and every market in it. */
  #stateOf(
    { lease: { shard }, publisher, before, inherited, trades, heldSinceMs }: HeldShard,
    followed = this.#deps.recording.marketIdsOf(shard),
    firstTickMs = (id: string) => this.#deps.recording.firstTickMs(shard, id),
  ): { state: Omit<ShardState, 'epoch'>; marketIds: ReadonlySet<string> } {
    const { accountedTickMs } = publisher
    if (accountedTickMs === undefined) {
      const marketIds = new Set([...before.marketIds, ...followed])
      const { lastTickMs, waiting, sinceTickMs, tradeIds } = before
      const state = { lastTickMs, marketIds: [...marketIds], waiting, sinceTickMs, tradeIds }
      return { state, marketIds: new Set([...marketIds, ...inherited.keys()]) }
    }
    const isDiscoveryComplete = this.#deps.clock.nowMs() - heldSinceMs > REDISCOVERED_WITHIN_MS
    const { marketIds, waiting } = shardSlots({
      accountedTickMs,
      followed,
      inherited,
      firstTickMs,
      isDiscoveryComplete,
    })
    const tradeIds = trades.upTo(accountedTickMs)
    const state = { lastTickMs: accountedTickMs, marketIds, waiting, sinceTickMs: publisher.firstTickMs, tradeIds }
    return { state, marketIds: new Set([...marketIds, ...Object.keys(waiting)]) }
  }

  /** Publishes what is sampled, saves the state and releases the lease, so that the next recorder can go on at once. */
  async #release(shard: string): Promise<void> {
    const held = this.#held.get(shard)
    if (held === undefined) return
    const { recording, stored, clock, log } = this.#deps
    const followed = recording.marketIdsOf(shard)
    const ticks = new Map([...held.inherited.keys()].map((id) => [id, recording.firstTickMs(shard, id)]))
    held.isReleased = true
    stored.follow(shard)
    recording.leave(shard, clock.nowMs())
    held.stop.abort()
    await Promise.all([held.running, held.saving])
    if (this.#held.get(shard) !== held) return
    try {
      const { state } = this.#stateOf(held, followed, (id) => ticks.get(id))
      await held.lease.saveState(state.lastTickMs, state.marketIds, state.waiting, state)
      this.#places.released(shard)
      held.isRenewed = false
      await held.renewing
      await held.lease.release()
      log.info({ shard, lastTickMs: state.lastTickMs }, 'shard lease released')
    } finally {
      // Without NATS the lease expires by itself, and the next recorder writes the gap since the last state.
      this.#held.delete(shard)
    }
  }

  /** A shard for which no other recorder gets ready in time is released all the same. */
  async #leave(): Promise<void> {
    const { board, group, leases, log } = this.#deps
    const untilMs = leases.timer.monotonicMs() + LEAVE_WITHIN_MS
    if (board.isCurrent && board.hasOthers(group)) await board.leave()
    while (this.#held.size + this.#busy.size > 0) {
      const isLate = leases.timer.monotonicMs() >= untilMs || !board.isCurrent || !board.hasOthers(group)
      const ready = [...this.#held.keys()].filter((shard) => isLate || board.hasOtherWarm(shard))
      await Promise.all(
        ready
          .filter((shard) => !this.#busy.has(shard))
          .map((shard) =>
            this.#release(shard).catch((error: unknown) => {
              log.warn({ err: error, shard }, 'releasing shard lease failed')
            }),
          ),
      )
      if (this.#held.size + this.#busy.size > 0) await this.#untilWoken()
    }
  }
}
