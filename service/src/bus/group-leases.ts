import { type JetStreamClient, type JetStreamManager, StorageType } from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { isTaken } from './kv-errors.ts'

const BUCKET = 'hot-leases'
/**
 * In memory, because every renewal would wait for the disk, and lost leases are taken again at once. Together with the
 * pause between two rounds, a group is taken over within three seconds.
 */
export const GROUP_LEASES = { name: BUCKET, ttl: 2_000, storage: StorageType.Memory } as const

/** Which process has which group. A lease is a key that expires unless it is renewed; every process has a key too. */
export class GroupLeases {
  readonly #leases: KV
  readonly #manager: JetStreamManager
  readonly #owner: string
  readonly #revisions = new Map<string, number>()

  private constructor(leases: KV, manager: JetStreamManager, owner: string) {
    this.#leases = leases
    this.#manager = manager
    this.#owner = owner
  }

  /** The owner is unique and has only letters, digits and dashes. */
  static async open(jetstream: JetStreamClient, owner: string): Promise<GroupLeases> {
    const { name, ...limits } = GROUP_LEASES
    const leases = await new Kvm(jetstream).create(name, { history: 1, ...limits })
    return new GroupLeases(leases, await jetstream.jetstreamManager(false), owner)
  }

  get held(): readonly string[] {
    return [...this.#revisions.keys()]
  }

  /** Says that this process lives, and returns how many do. A process that has ended counts until its key expires. */
  async countNodes(): Promise<number> {
    await this.#leases.put(`node.${this.#owner}`, '')
    const { state } = await this.#manager.streams.info(`KV_${BUCKET}`, { subjects_filter: `$KV.${BUCKET}.node.*` })
    return Math.max(1, Object.keys(state.subjects ?? {}).length)
  }

  async isFree(group: string): Promise<boolean> {
    const entry = await this.#leases.get(keyOf(group))
    return entry === null || entry.operation !== 'PUT'
  }

  /** False when another process was faster. */
  async take(group: string): Promise<boolean> {
    try {
      this.#revisions.set(group, await this.#leases.create(keyOf(group), this.#owner))
      return true
    } catch (error) {
      if (isTaken(error)) return false
      throw error
    }
  }

  /** False when another process has it now. */
  async renew(group: string): Promise<boolean> {
    try {
      const revision = await this.#leases.update(keyOf(group), this.#owner, this.#revisions.get(group) ?? 0)
      this.#revisions.set(group, revision)
      return true
    } catch (error) {
      if (!isTaken(error)) throw error
      if (await this.#isOurs(group)) return true
      this.#revisions.delete(group)
      return this.take(group)
    }
  }

  async release(group: string): Promise<void> {
    const previousSeq = this.#revisions.get(group)
    this.#revisions.delete(group)
    if (previousSeq === undefined) return
    await this.#leases.delete(keyOf(group), { previousSeq }).catch((error: unknown) => {
      if (!isTaken(error)) throw error
    })
  }

  /** The answer to an earlier renewal may have been lost. */
  async #isOurs(group: string): Promise<boolean> {
    const entry = await this.#leases.get(keyOf(group))
    if (entry?.operation !== 'PUT' || entry.string() !== this.#owner) return false
    this.#revisions.set(group, entry.revision)
    return true
  }
}

function keyOf(group: string): string {
  return `group.${group}`
}
