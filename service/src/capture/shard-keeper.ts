import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { Logger } from 'pino'
import { raiseFence } from '../bus/fence.ts'
import type { ShardLease, ShardLeases } from '../bus/shard-leases.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { EmissionLog } from './emission-log.ts'
import type { Recorder, TickRows } from './recorder.ts'
import { ShardVoice } from './shard-voice.ts'

const RENEW_EVERY_MS = 1_000

interface Kept {
  lease: ShardLease
  voice: ShardVoice
  stop: AbortController
  running: Promise<void>
}

export interface ShardKeeperDeps {
  jetstream: JetStreamClient
  leases: ShardLeases
  shardCount: number
  recorder: Recorder
  owner: string
  nowMs: () => number
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

  /** A process that was stopped and goes on finds its leases run out, and says nothing. */
  say(shard: number, tickMs: number, rows: TickRows): void {
    const kept = this.#kept.get(shard)
    if (kept === undefined) return
    if (kept.lease.isHeld) kept.voice.say(tickMs, rows)
    else this.#drop(shard, 'its lease ran out')
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#round()
      await sleep(RENEW_EVERY_MS, undefined, { signal }).catch(() => {})
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
          this.#deps.log.warn({ shard, error }, 'lease not reached')
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
    const { leases, jetstream, owner, recorder, nowMs, emissionLog, log, metrics } = this.#deps
    const lease = await leases.acquire(shard)
    if (lease === undefined) return
    const fence = await raiseFence(jetstream, shard, owner)
    const state = await leases.stateOf(shard)
    const voice = new ShardVoice({
      jetstream,
      shard,
      epoch: lease.epoch,
      fence,
      nowMs,
      onAcknowledged: (batch, latencyMs) => {
        metrics.ackSeconds.observe(latencyMs / 1000)
        emissionLog?.note(batch)
      },
      onGivenUp: (cause) => metrics.givenUp.inc({ cause }),
    })
    const stop = new AbortController()
    const running = voice.run(stop.signal).catch((error: Error) => this.#drop(shard, error.message))
    this.#kept.set(shard, { lease, voice, stop, running })
    recorder.hold(shard, state && { lastTickMs: state.lastTickMs, marketIds: new Set(state.marketIds) })
    log.info({ shard, epoch: lease.epoch, since: state?.lastTickMs }, 'records shard')
  }

  #drop(shard: number, reason: string): void {
    const kept = this.#kept.get(shard)
    if (kept === undefined) return
    this.#kept.delete(shard)
    this.#deps.recorder.leave(shard)
    kept.stop.abort()
    this.#deps.log.warn({ shard, reason }, 'no longer records shard')
  }

  async #saveState({ lease, voice }: Kept): Promise<void> {
    if (voice.acknowledgedTickMs === undefined) return
    await lease.saveState(voice.acknowledgedTickMs, this.#deps.recorder.marketIdsOf(lease.shard))
  }

  /** A clean end: what is queued is sent, the account is left in order, and the next may begin at once. */
  async #release(shard: number): Promise<void> {
    const kept = this.#kept.get(shard)
    if (kept === undefined) return
    kept.stop.abort()
    await kept.running
    this.#kept.delete(shard)
    await this.#saveState(kept)
    await kept.lease.release()
  }
}
