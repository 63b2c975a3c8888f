import type { JetStreamClient } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { z } from 'zod'
import { groupOf } from '../domain/shards.ts'
import { isTaken } from './kv-errors.ts'
import { requireShardCount, requireShardCounts, STATE_BUCKET } from './shard-counts.ts'

/** What the last recorder of a shard left for the next one. */
export const ShardState = z.object({
  epoch: z.number(),
  lastTickMs: z.number(),
  /** The first tick of the recorder that wrote the state; its clock numbered all slots since. */
  sinceTickMs: z.number().optional(),
  marketIds: z.array(z.string()),
  /** Inherited markets without a new row or gap record yet, with the last tick that is accounted for. */
  waiting: z.record(z.string(), z.number()).default({}),
})
export type ShardState = z.infer<typeof ShardState>

export interface SavedState extends ShardState {
  /** When it was saved, by the clock of the NATS server. */
  readonly savedAtMs: number
}

const LEASE_BUCKET = 'shard-leases'
const CLOCK_KEY = 'clock'

/** A renewal without an answer by then may still be stored; the next renewal finds out. */
const RENEW_ANSWER_MS = 1_500

/**
 * Which process records which shard. A lease is a key that expires unless it is renewed; its first revision is the
 * epoch of its holder. The state of the shard is a second key that does not expire.
 */
export class ShardLeases {
  readonly #leases: KV
  readonly #states: KV
  readonly #owner: string
  readonly #ttlMs: number
  #counts: ReadonlyMap<string, number> = new Map()

  private constructor(leases: KV, states: KV, owner: string, ttlMs: number) {
    this.#leases = leases
    this.#states = states
    this.#owner = owner
    this.#ttlMs = ttlMs
  }

  static async open(jetstream: JetStreamClient, owner: string, ttlMs = 3_000): Promise<ShardLeases> {
    const kvm = new Kvm(jetstream)
    const leases = await kvm.create(LEASE_BUCKET, { ttl: ttlMs, history: 1 })
    const states = await kvm.create(STATE_BUCKET, { history: 1 })
    return new ShardLeases(leases, states, owner, ttlMs)
  }

  /** Undefined while another process holds the lease. Throws when the number of shards has changed since `requireCounts`. */
  async acquire(shard: string): Promise<ShardLease | undefined> {
    const count = this.#counts.get(groupOf(shard))
    if (count !== undefined) await requireShardCount(this.#states, groupOf(shard), count)
    const requestedAtMs = performance.now()
    try {
      const epoch = await this.#leases.create(leaseKeyOf(shard), this.#owner)
      return new ShardLease(this.#leases, this.#states, this.#owner, {
        shard,
        epoch,
        ttlMs: this.#ttlMs,
        requestedAtMs,
      })
    } catch (error) {
      if (isTaken(error)) return undefined
      throw error
    }
  }

  async stateOf(shard: string): Promise<SavedState | undefined> {
    const entry = await this.#states.get(leaseKeyOf(shard))
    if (entry === null || entry.operation !== 'PUT') return undefined
    return { ...ShardState.parse(entry.json()), savedAtMs: entry.created.getTime() }
  }

  /** Stores the number of shards of each group at the first start, and refuses any other later. */
  async requireCounts(counts: ReadonlyMap<string, number>): Promise<void> {
    await requireShardCounts(this.#states, counts)
    this.#counts = counts
  }

  /** Who holds the lease; undefined when nobody does. */
  async holderOf(shard: string): Promise<string | undefined> {
    const entry = await this.#leases.get(leaseKeyOf(shard))
    return entry?.operation === 'PUT' ? entry.string() : undefined
  }

  /** The time of the NATS server, which it notes for a key that is written now. */
  async serverTimeMs(): Promise<number> {
    await this.#leases.put(CLOCK_KEY, this.#owner)
    const writtenAtMs = performance.now()
    const entry = await this.#leases.get(CLOCK_KEY)
    if (entry === null) throw new Error('the key of the clock was not stored')
    return entry.created.getTime() + performance.now() - writtenAtMs
  }
}

export class ShardLease {
  readonly shard: string
  readonly epoch: number
  readonly #leases: KV
  readonly #states: KV
  readonly #owner: string
  readonly #ttlMs: number
  #revision: number
  #renewedAtMs: number

  constructor(
    leases: KV,
    states: KV,
    owner: string,
    held: { shard: string; epoch: number; ttlMs: number; requestedAtMs: number },
  ) {
    this.#leases = leases
    this.#states = states
    this.#owner = owner
    this.shard = held.shard
    this.epoch = held.epoch
    this.#ttlMs = held.ttlMs
    this.#revision = held.epoch
    this.#renewedAtMs = held.requestedAtMs
  }

  /**
   * Whether no other process can hold the lease yet, by our own monotonic clock: a process that was suspended
   * must not publish for a shard that another has taken meanwhile.
   */
  get isHeld(): boolean {
    return performance.now() - this.#renewedAtMs < this.#ttlMs
  }

  /** False when another process holds the lease. */
  async renew(): Promise<boolean> {
    const requestedAtMs = performance.now()
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
    return this.#leases.update(leaseKeyOf(this.shard), this.#owner, revision, RENEW_ANSWER_MS)
  }

  /**
   * After an outage of NATS the key may hold a renewal of ours whose answer was lost, or have expired. We retake it
   * if no other process holds it; if one held it in between, it raised the fence, which refuses our batches.
   */
  async #retake(error: unknown): Promise<number> {
    if (!isTaken(error)) throw error
    const entry = await this.#leases.get(leaseKeyOf(this.shard))
    if (entry === null || entry.operation !== 'PUT') return this.#leases.create(leaseKeyOf(this.shard), this.#owner)
    if (entry.string() !== this.#owner) throw error
    return this.#update(entry.revision)
  }

  /** Saves which markets are recorded and up to which tick; the next holder writes gaps for the time after it. */
  async saveState(
    lastTickMs: number,
    marketIds: string[],
    waiting: Record<string, number> = {},
    sinceTickMs?: number,
  ): Promise<void> {
    const state: ShardState = { epoch: this.epoch, lastTickMs, sinceTickMs, marketIds, waiting }
    await this.#states.put(leaseKeyOf(this.shard), JSON.stringify(state))
  }

  /** Lets the next recorder start at once instead of after the lease expires. */
  async release(): Promise<void> {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY
    try {
      await this.#leases.delete(leaseKeyOf(this.shard), { previousSeq: this.#revision })
    } catch (error) {
      // It has expired, and perhaps another process holds it.
      if (!isTaken(error)) throw error
    }
  }
}

export function leaseKeyOf(shard: string): string {
  return `shard.${shard}`
}
