import type { JetStreamClient } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { z } from 'zod'

/** What the last recorder of a shard left for the next one. */
const ShardState = z.object({
  epoch: z.number(),
  lastTickMs: z.number(),
  marketIds: z.array(z.string()),
  /** Markets of earlier recorders that this one has not found again yet, with the last tick that is accounted for. */
  waiting: z.record(z.string(), z.number()).default({}),
})
export type ShardState = z.infer<typeof ShardState>

const LEASE_BUCKET = 'shard-leases'
const STATE_BUCKET = 'shard-states'

/** A renewal that is not answered by then may still count; the next one finds out. */
const RENEW_ANSWER_MS = 1_500

/**
 * Who records which shard. A lease is a key that vanishes unless it is renewed; its revision is the epoch
 * under which its holder speaks. What was recorded last is kept beside it and does not vanish.
 */
export class ShardLeases {
  readonly #leases: KV
  readonly #states: KV
  readonly #owner: string
  readonly #ttlMs: number

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

  /** Undefined while another holds it. */
  async acquire(shard: number): Promise<ShardLease | undefined> {
    const askedAtMs = performance.now()
    try {
      const epoch = await this.#leases.create(keyOf(shard), this.#owner)
      return new ShardLease(this.#leases, this.#states, this.#owner, { shard, epoch, ttlMs: this.#ttlMs, askedAtMs })
    } catch (error) {
      if (isTaken(error)) return undefined
      throw error
    }
  }

  async stateOf(shard: number): Promise<ShardState | undefined> {
    const entry = await this.#states.get(keyOf(shard))
    return entry === null || entry.operation !== 'PUT' ? undefined : ShardState.parse(entry.json())
  }
}

export class ShardLease {
  readonly shard: number
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
    held: { shard: number; epoch: number; ttlMs: number; askedAtMs: number },
  ) {
    this.#leases = leases
    this.#states = states
    this.#owner = owner
    this.shard = held.shard
    this.epoch = held.epoch
    this.#ttlMs = held.ttlMs
    this.#revision = held.epoch
    this.#renewedAtMs = held.askedAtMs
  }

  /**
   * Whether nobody else can hold it yet, judged by our own monotonic clock: a process that was stopped for a
   * while and goes on must not speak for a shard that another has taken over meanwhile.
   */
  get isHeld(): boolean {
    return performance.now() - this.#renewedAtMs < this.#ttlMs
  }

  /** False when another has it. */
  async renew(): Promise<boolean> {
    const askedAtMs = performance.now()
    try {
      this.#revision = await this.#update(this.#revision).catch((error: unknown) => this.#takeBack(error))
      this.#renewedAtMs = askedAtMs
      return true
    } catch (error) {
      if (isTaken(error)) return false
      throw error
    }
  }

  #update(revision: number): Promise<number> {
    return this.#leases.update(keyOf(this.shard), this.#owner, revision, RENEW_ANSWER_MS)
  }

  /**
   * After the bus was away, the key may stand at a renewal of ours whose answer was lost, or have run out. It is
   * ours again if nobody else has it now; if somebody had it in between, the fence was raised and refuses us.
   */
  async #takeBack(error: unknown): Promise<number> {
    if (!isTaken(error)) throw error
    const entry = await this.#leases.get(keyOf(this.shard))
    if (entry === null || entry.operation !== 'PUT') return this.#leases.create(keyOf(this.shard), this.#owner)
    if (entry.string() !== this.#owner) throw error
    return this.#update(entry.revision)
  }

  /** What is recorded, up to when: the next holder accounts for the time after it. */
  async saveState(lastTickMs: number, marketIds: string[], waiting: Record<string, number> = {}): Promise<void> {
    const state: ShardState = { epoch: this.epoch, lastTickMs, marketIds, waiting }
    await this.#states.put(keyOf(this.shard), JSON.stringify(state))
  }

  /** Lets the next one begin at once instead of after the lease has run out. */
  async release(): Promise<void> {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY
    try {
      await this.#leases.delete(keyOf(this.shard), { previousSeq: this.#revision })
    } catch (error) {
      // It has run out already, and perhaps another has it: there is nothing to let go of.
      if (!isTaken(error)) throw error
    }
  }
}

function keyOf(shard: number): string {
  return `shard.${shard}`
}

/** The server's word for "the key is not at the revision you think", which means that someone else has it. */
const WRONG_LAST_SEQUENCE = 10_071

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === WRONG_LAST_SEQUENCE
}
