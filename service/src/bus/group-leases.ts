import { type JetStreamClient, type JetStreamManager, StorageType } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { natsKeyValues } from './key-values.ts'
import { Lease, type LeaseBucket } from './lease.ts'
import { machineTimer } from './timer.ts'

const BUCKET = 'hot-leases'
/**
 * In memory, because every renewal would wait for the disk, and lost leases are taken again at once. Together with the
 * pause between two rounds, a group is taken over within three seconds.
 */
export const GROUP_LEASES = { name: BUCKET, ttl: 2_000, storage: StorageType.Memory } as const

/** Which process has which group. Every process has a key too, so that they can be counted. */
export class GroupLeases {
  readonly #bucket: LeaseBucket
  readonly #manager: JetStreamManager
  readonly #leases = new Map<string, Lease>()

  private constructor(bucket: LeaseBucket, manager: JetStreamManager) {
    this.#bucket = bucket
    this.#manager = manager
  }

  /** The owner is unique and has only letters, digits and dashes. */
  static async open(jetstream: JetStreamClient, owner: string): Promise<GroupLeases> {
    const { name, ...limits } = GROUP_LEASES
    const keys = natsKeyValues(await new Kvm(jetstream).create(name, { history: 1, ...limits }))
    const bucket = { keys, owner, ttlMs: limits.ttl, timer: machineTimer }
    return new GroupLeases(bucket, await jetstream.jetstreamManager(false))
  }

  get held(): readonly string[] {
    return [...this.#leases.keys()]
  }

  /** Says that this process lives, and returns how many do. A process that has ended counts until its key expires. */
  async countNodes(): Promise<number> {
    await this.#bucket.keys.put(`node.${this.#bucket.owner}`, '')
    const { state } = await this.#manager.streams.info(`KV_${BUCKET}`, { subjects_filter: `$KV.${BUCKET}.node.*` })
    return Math.max(1, Object.keys(state.subjects ?? {}).length)
  }

  async isFree(group: string): Promise<boolean> {
    return (await this.#bucket.keys.get(keyOf(group))) === undefined
  }

  /** False when another process was faster. */
  async take(group: string): Promise<boolean> {
    const lease = await Lease.take(this.#bucket, keyOf(group))
    if (lease !== undefined) this.#leases.set(group, lease)
    return lease !== undefined
  }

  /** False when another process has it now. */
  async renew(group: string): Promise<boolean> {
    if (await this.#leases.get(group)?.renew()) return true
    this.#leases.delete(group)
    return false
  }

  async release(group: string): Promise<void> {
    const lease = this.#leases.get(group)
    this.#leases.delete(group)
    await lease?.release()
  }
}

function keyOf(group: string): string {
  return `group.${group}`
}
