import type { JetStreamClient } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { nanos } from '@nats-io/transport-node'
import { groupOf } from '../domain/shards.ts'
import { type KeyValues, natsKeyValues } from './key-values.ts'
import { isTaken } from './kv-errors.ts'
import { requireShardCount, requireShardCounts, STATE_BUCKET } from './shard-counts.ts'
import { readState, type SavedState, StateWriter, savedEpoch } from './shard-states.ts'
import { machineTimer, type Timer } from './timer.ts'

const LEASE_BUCKET = 'shard-leases'
const CLOCK_KEY = 'clock'
const LEASE_TTL_MS = 3_000
const MARKER_TTL_MS = 1_000

/** A renewal without an answer by then may still be stored; the next renewal finds out. */
const RENEW_ANSWER_MS = 1_500

export interface ShardLeasesParts {
  readonly keys: KeyValues
  readonly states: KeyValues
  /** This process's name in leases. */
  readonly owner: string
  readonly ttlMs: number
  readonly timer: Timer
}

/**
 * Which process records which shard. A lease is a key that expires unless it is renewed; its first revision is the
 * epoch of its holder. The state of the shard is a second key that does not expire.
 */
export class ShardLeases {
  readonly owner: string
  readonly ttlMs: number
  /** Every key in it expires unless it is renewed. */
  readonly keys: KeyValues
  readonly timer: Timer
  readonly #states: KeyValues
  #counts: ReadonlyMap<string, number> = new Map()

  constructor({ keys, states, owner, ttlMs, timer }: ShardLeasesParts) {
    this.keys = keys
    this.#states = states
    this.owner = owner
    this.ttlMs = ttlMs
    this.timer = timer
  }

  static async open(jetstream: JetStreamClient, owner: string, ttlMs = LEASE_TTL_MS): Promise<ShardLeases> {
    const kvm = new Kvm(jetstream)
    const keys = natsKeyValues(await kvm.create(LEASE_BUCKET, { ttl: ttlMs, history: 1, markerTTL: MARKER_TTL_MS }))
    await markExpiredKeys(jetstream)
    const states = natsKeyValues(await kvm.create(STATE_BUCKET, { history: 1 }))
    return new ShardLeases({ keys, states, owner, ttlMs, timer: machineTimer })
  }

  /** Undefined while another process holds the lease. Throws when the number of shards has changed since `requireCounts`. */
  async acquire(shard: string): Promise<ShardLease | undefined> {
    const count = this.#counts.get(groupOf(shard))
    if (count !== undefined) await requireShardCount(this.#states, groupOf(shard), count)
    // Revisions begin again when the bucket is lost or NATS is restored, but later recorders need later epochs.
    const after = await savedEpoch(this.#states, shard)
    return this.take(leaseKeyOf(shard), { shard, after })
  }

  /** The lease of anything else that only one process may do; undefined while another process holds it. */
  async take(key: string, { shard = key, after = 0 } = {}): Promise<ShardLease | undefined> {
    const requestedAtMs = this.timer.monotonicMs()
    try {
      const revision = await this.keys.create(key, this.owner)
      const epoch = Math.max(revision, after + 1)
      return new ShardLease(this, this.#states, { key, shard, epoch, revision, requestedAtMs })
    } catch (error) {
      if (isTaken(error)) return undefined
      throw error
    }
  }

  async stateOf(shard: string): Promise<SavedState | undefined> {
    return readState(this.#states, shard)
  }

  /** Stores the number of shards of each group at the first start, and refuses any other later. */
  async requireCounts(counts: ReadonlyMap<string, number>): Promise<void> {
    await requireShardCounts(this.#states, counts)
    this.#counts = counts
  }

  /** Who holds the lease; undefined when nobody does. */
  async holderOf(shard: string): Promise<string | undefined> {
    return (await this.keys.get(leaseKeyOf(shard)))?.value
  }

  /** The time of the NATS server, which it notes for a key that is written now. */
  async serverTimeMs(): Promise<number> {
    await this.keys.put(CLOCK_KEY, this.owner)
    const writtenAtMs = this.timer.monotonicMs()
    const entry = await this.keys.get(CLOCK_KEY)
    if (entry === undefined) throw new Error('the key of the clock was not stored')
    return entry.writtenAtMs + this.timer.monotonicMs() - writtenAtMs
  }
}

export class ShardLease {
  readonly shard: string
  readonly epoch: number
  readonly #of: ShardLeases
  readonly #key: string
  readonly #writer: StateWriter
  #revision: number
  #renewedAtMs: number

  constructor(
    of: ShardLeases,
    states: KeyValues,
    held: { key: string; shard: string; epoch: number; revision: number; requestedAtMs: number },
  ) {
    this.#of = of
    this.#key = held.key
    this.shard = held.shard
    this.epoch = held.epoch
    this.#writer = new StateWriter(states, held.shard, held.epoch)
    this.#revision = held.revision
    this.#renewedAtMs = held.requestedAtMs
  }

  /**
   * Whether no other process can hold the lease yet, by our own monotonic clock: a process that was suspended
   * must not publish for a shard that another has taken meanwhile.
   */
  get isHeld(): boolean {
    return this.#of.timer.monotonicMs() - this.#renewedAtMs < this.#of.ttlMs
  }

  /** False when another process holds the lease. */
  async renew(): Promise<boolean> {
    const requestedAtMs = this.#of.timer.monotonicMs()
    try {
      this.#revision = await this.#update(this.#revision).catch((error: unknown) => this.#retake(error))
      this.#renewedAtMs = requestedAtMs
      return true
    } catch (error) {
      if (isTaken(error)) return false
      throw error
    }
  }

  #update(revision: number): Promise<number> {
    return this.#of.keys.update(this.#key, this.#of.owner, revision, RENEW_ANSWER_MS)
  }

  /**
   * After an outage of NATS the key may hold a renewal of ours whose answer was lost, or have expired. We retake it
   * if no other process holds it; if one held it in between, it raised the fence, which refuses our batches.
   */
  async #retake(error: unknown): Promise<number> {
    if (!isTaken(error)) throw error
    const { keys, owner } = this.#of
    const entry = await keys.get(this.#key)
    if (entry === undefined) return keys.create(this.#key, owner)
    if (entry.value !== owner) throw error
    return this.#update(entry.revision)
  }

  /** Saves which markets are recorded and up to which tick; the next holder writes gaps for the time after it. */
  async saveState(
    lastTickMs: number,
    marketIds: readonly string[],
    waiting: Readonly<Record<string, number>> = {},
    sinceTickMs?: number,
  ): Promise<void> {
    await this.#writer.write({ lastTickMs, sinceTickMs, marketIds, waiting })
  }

  /** Lets the next recorder start at once instead of after the lease expires. */
  async release(): Promise<void> {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY
    try {
      await this.#of.keys.delete(this.#key, this.#revision)
    } catch (error) {
      // It has expired, and perhaps another process holds it.
      if (!isTaken(error)) throw error
    }
  }
}

/** A marker tells those who watch the bucket that a key has expired; up to version 0.11 it was made without. */
async function markExpiredKeys(jetstream: JetStreamClient): Promise<void> {
  const manager = await jetstream.jetstreamManager(false)
  const name = `KV_${LEASE_BUCKET}`
  const { config } = await manager.streams.info(name)
  if ((config.subject_delete_marker_ttl ?? 0) > 0) return
  const marked = { allow_msg_ttl: true, subject_delete_marker_ttl: nanos(MARKER_TTL_MS) }
  await manager.streams.update(name, { ...config, ...marked })
}

export function leaseKeyOf(shard: string): string {
  return `shard.${shard}`
}
