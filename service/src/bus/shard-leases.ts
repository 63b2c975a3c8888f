import type { JetStreamClient } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { nanos } from '@nats-io/transport-node'
import { groupOf } from '../domain/shards.ts'
import { type KeyValues, natsKeyValues } from './key-values.ts'
import { Lease, type LeaseBucket } from './lease.ts'
import { requireShardCount, requireShardCounts, STATE_BUCKET } from './shard-counts.ts'
import { readState, type SavedState, type ShardState, StateWriter, savedEpoch } from './shard-states.ts'
import { machineTimer, type Timer } from './timer.ts'

const LEASE_BUCKET = 'shard-leases'
const CLOCK_KEY = 'clock'
const LEASE_TTL_MS = 3_000
const MARKER_TTL_MS = 1_000

export interface ShardLeasesParts extends LeaseBucket {
  readonly states: KeyValues
}

/** Which process records which shard. The first revision of a lease is the epoch of its holder; states do not expire. */
export class ShardLeases implements LeaseBucket {
  readonly owner: string
  readonly ttlMs: number
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
    const lease = await this.take(leaseKeyOf(shard))
    return lease && new ShardLease(lease, this.#states, { shard, epoch: Math.max(lease.firstRevision, after + 1) })
  }

  /** The lease of anything else that only one process may do; undefined while another process holds it. */
  take(key: string): Promise<Lease | undefined> {
    return Lease.take(this, key)
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

/** The lease of a shard, with the state that its holder saves. */
export class ShardLease {
  readonly shard: string
  readonly epoch: number
  readonly #lease: Lease
  readonly #writer: StateWriter

  constructor(lease: Lease, states: KeyValues, { shard, epoch }: { shard: string; epoch: number }) {
    this.#lease = lease
    this.shard = shard
    this.epoch = epoch
    this.#writer = new StateWriter(states, shard, epoch)
  }

  get isHeld(): boolean {
    return this.#lease.isHeld
  }

  renew(): Promise<boolean> {
    return this.#lease.renew()
  }

  release(): Promise<void> {
    return this.#lease.release()
  }

  /** Saves which markets are recorded and up to which tick; the next holder writes gaps for the time after it. */
  async saveState(
    lastTickMs: number,
    marketIds: readonly string[],
    waiting: Readonly<Record<string, number>> = {},
    { sinceTickMs, tradeIds }: Partial<Pick<ShardState, 'sinceTickMs' | 'tradeIds'>> = {},
  ): Promise<void> {
    await this.#writer.write({ lastTickMs, sinceTickMs, marketIds, waiting, tradeIds })
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
