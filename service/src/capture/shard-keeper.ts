import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { raiseFence } from '../bus/fence.ts'
import { PUBLISH_LIMITS, type PublishLimits } from '../bus/publish.ts'
import type { ShardLease, ShardLeases, ShardState } from '../bus/shard-leases.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { EmissionLog } from './emission-log.ts'
import type { Legacy, Recorder, TickRows } from './recorder.ts'
import type { SamplingClock } from './sampling-clock.ts'
import { ShardPublisher } from './shard-publisher.ts'
import { shardSlots } from './shard-slots.ts'

const RENEW_EVERY_MS = 1_000
/** While a lease of ours has run out its rows wait, so it is asked for more often. */
const TAKE_BACK_EVERY_MS = 250

interface Kept {
  lease: ShardLease
  voice: ShardPublisher
  stop: AbortController
  running: Promise<void>
  /** What the account said when the shard became ours; it holds until something of ours is on the bus. */
  before: Pick<ShardState, 'lastTickMs' | 'marketIds' | 'waiting'>
  /** Every market of that account; those of which we have said nothing yet stay in ours. */
  legacy: Legacy
  heldSinceMs: number
}

/** By then discovery has found again what it will find; the rest has ended. */
const WAITS_FOR_MS = 600_000

export interface ShardKeeperDeps {
  jetstream: JetStreamClient
  leases: ShardLeases
  shardCount: number
  recorder: Recorder
  owner: string
  clock: SamplingClock
  /** Of the whole process; default: `PUBLISH_LIMITS`. */
  publishLimits?: Partial<PublishLimits>
  emissionLog: EmissionLog | undefined
  log: Logger
  metrics: CaptureMetrics
}

/** Takes the shards that nobody records, renews them, and lets go of those that were taken from us. */
export class ShardKeeper {
  readonly #deps: ShardKeeperDeps
  readonly #kept = new Map<number, Kept>()

  constructor(deps: ShardKeeperDeps) {
    this.#deps = deps
  }

  get heldShards(): number[] {
    return [...this.#kept.keys()]
  }

  get queuedBytes(): number {
    return [...this.#kept.values()].reduce((sum, { voice }) => sum + voice.queuedBytes, 0)
  }

  say(shard: number, tickMs: number, rows: TickRows): void {
    this.#kept.get(shard)?.voice.say(tickMs, rows)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#round()
      const areHeld = [...this.#kept.values()].every(({ lease }) => lease.isHeld)
      await sleep(areHeld ? RENEW_EVERY_MS : TAKE_BACK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
    await Promise.all([...this.#kept.keys()].map((shard) => this.#release(shard)))
  }

  async #round(): Promise<void> {
    const shards = Array.from({ length: this.#deps.shardCount }, (_, shard) => shard)
    await Promise.all(
      shards.map(async (shard) => {
        try {
          if (this.#kept.has(shard)) await this.#renew(shard)
          else await this.#acquire(shard)
        } catch (error) {
          // The bus is away: leases run out by themselves, and the next round tries again.
          this.#deps.log.warn({ err: error, shard }, 'shard lease not reachable')
        }
      }),
    )
  }

  async #renew(shard: number): Promise<void> {
    const kept = this.#kept.get(shard)
    if (kept === undefined) return
    if (!(await kept.lease.renew())) return this.#drop(shard, 'another has taken it')
    await this.#saveState(kept)
  }

  async #acquire(shard: number): Promise<void> {
    const { leases, jetstream, owner, recorder, clock, emissionLog, log, metrics } = this.#deps
    const lease = await leases.acquire(shard)
    if (lease === undefined) return
    const fence = await raiseFence(jetstream, shard, owner)
    const state = await leases.stateOf(shard)
    const voice = new ShardPublisher({
      jetstream,
      shard,
      epoch: lease.epoch,
      fence,
      nowMs: () => clock.nowMs(),
      limits: this.#limitsOfOne(),
      // A lease that has run out may be taken back when the bus is there again, so what is said meanwhile is kept;
      // but a process that was stopped and goes on must stay silent until it knows that nobody has replaced it.
      maySend: () => lease.isHeld,
      onAcknowledged: (batch, latencyMs) => {
        metrics.ackSeconds.observe(latencyMs / 1000)
        emissionLog?.note(batch)
      },
      onGivenUp: (cause) => metrics.givenUp.inc({ cause }),
    })
    const stop = new AbortController()
    const running = voice.run(stop.signal).catch((error: Error) => this.#drop(shard, error.message))
    const before = state ?? { lastTickMs: Math.floor(clock.nowMs()), marketIds: [], waiting: {} }
    const legacy = legacyOf(before)
    this.#kept.set(shard, { lease, voice, stop, running, before, legacy, heldSinceMs: clock.nowMs() })
    if (state !== undefined) clock.goOnAfter(state.lastTickMs)
    recorder.hold(shard, legacy)
    recorder.wrote(shard, new Set(legacy.keys()))
    log.info({ shard, epoch: lease.epoch, since: state?.lastTickMs }, 'records shard')
  }

  #limitsOfOne(): PublishLimits {
    const limits = { ...PUBLISH_LIMITS, ...this.#deps.publishLimits }
    return { ...limits, queueBytes: limits.queueBytes / this.#deps.shardCount }
  }

  #drop(shard: number, reason: string): void {
    const kept = this.#kept.get(shard)
    if (kept === undefined) return
    this.#kept.delete(shard)
    this.#deps.recorder.leave(shard)
    kept.stop.abort()
    this.#deps.log.warn({ shard, reason }, 'no longer records shard')
  }

  async #saveState({ lease, voice, before, legacy, heldSinceMs }: Kept): Promise<void> {
    const { recorder, clock } = this.#deps
    const { shard } = lease
    const ours = recorder.marketIdsOf(shard)
    if (voice.accountedTickMs === undefined) {
      const marketIds = new Set([...before.marketIds, ...ours])
      await lease.saveState(before.lastTickMs, [...marketIds], before.waiting)
      recorder.wrote(shard, new Set([...marketIds, ...legacy.keys()]))
      return
    }
    const { accountedTickMs } = voice
    const { marketIds, waiting } = shardSlots({
      accountedTickMs,
      ours,
      legacy,
      saidAtMs: (id) => recorder.saidAtMs(shard, id),
      isLate: clock.nowMs() - heldSinceMs > WAITS_FOR_MS,
    })
    await lease.saveState(accountedTickMs, marketIds, waiting)
    recorder.wrote(shard, new Set([...marketIds, ...Object.keys(waiting)]))
  }

  /** A clean end: what is queued is sent, the account is left in order, and the next may begin at once. */
  async #release(shard: number): Promise<void> {
    const kept = this.#kept.get(shard)
    if (kept === undefined) return
    kept.stop.abort()
    await kept.running
    this.#kept.delete(shard)
    try {
      await this.#saveState(kept)
      await kept.lease.release()
    } catch (error) {
      // The bus is away: the lease runs out by itself, and the next recorder accounts for the time since the last state.
      this.#deps.log.warn({ err: error, shard }, 'releasing shard failed')
    }
  }
}

function legacyOf({ lastTickMs, marketIds, waiting }: Kept['before']): Legacy {
  return new Map([...Object.entries(waiting), ...marketIds.map((id): [string, number] => [id, lastTickMs])])
}
