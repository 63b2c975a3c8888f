import type { KeyValues } from './key-values.ts'
import { isTaken } from './kv-errors.ts'
import type { Timer } from './timer.ts'

export interface LeaseBucket {
  /** Every key in it expires unless it is renewed. */
  readonly keys: KeyValues
  /** This process's name in leases. */
  readonly owner: string
  readonly ttlMs: number
  readonly timer: Timer
}

/** A renewal without an answer by then may still be stored; the next renewal finds out. */
const RENEW_ANSWER_MS = 1_500

/** The right to do what only one process may do: a key that expires unless it is renewed. */
export class Lease {
  readonly firstRevision: number
  readonly #bucket: LeaseBucket
  readonly #key: string
  #revision: number
  #renewedAtMs: number

  private constructor(bucket: LeaseBucket, key: string, revision: number, requestedAtMs: number) {
    this.#bucket = bucket
    this.#key = key
    this.firstRevision = revision
    this.#revision = revision
    this.#renewedAtMs = requestedAtMs
  }

  /** Undefined while another process holds it. */
  static async take(bucket: LeaseBucket, key: string): Promise<Lease | undefined> {
    const requestedAtMs = bucket.timer.monotonicMs()
    try {
      return new Lease(bucket, key, await bucket.keys.create(key, bucket.owner), requestedAtMs)
    } catch (error) {
      if (isTaken(error)) return undefined
      throw error
    }
  }

  /**
   * Whether no other process can hold the lease yet, by our own monotonic clock: a process that was suspended
   * must not do what another does meanwhile.
   */
  get isHeld(): boolean {
    return this.#bucket.timer.monotonicMs() - this.#renewedAtMs < this.#bucket.ttlMs
  }

  /** False when another process holds the lease. */
  async renew(): Promise<boolean> {
    const requestedAtMs = this.#bucket.timer.monotonicMs()
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
    return this.#bucket.keys.update(this.#key, this.#bucket.owner, revision, RENEW_ANSWER_MS)
  }

  /**
   * After an outage of NATS the key may hold a renewal of ours whose answer was lost, or have expired. We retake it
   * if no other process holds it; for a shard, one that held it in between raised the fence, which refuses our batches.
   */
  async #retake(error: unknown): Promise<number> {
    if (!isTaken(error)) throw error
    const { keys, owner } = this.#bucket
    const entry = await keys.get(this.#key)
    if (entry === undefined) return keys.create(this.#key, owner)
    if (entry.value !== owner) throw error
    return this.#update(entry.revision)
  }

  /** Lets the next process start at once instead of after the lease expires. */
  async release(): Promise<void> {
    this.#renewedAtMs = Number.NEGATIVE_INFINITY
    try {
      await this.#bucket.keys.delete(this.#key, this.#revision)
    } catch (error) {
      // It has expired, and perhaps another process holds it.
      if (!isTaken(error)) throw error
    }
  }
}
