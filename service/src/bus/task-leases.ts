import { type JetStreamClient, StorageType } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { natsKeyValues } from './key-values.ts'
import { Lease, type LeaseBucket } from './lease.ts'
import { machineTimer, type Timer } from './timer.ts'

/** In memory, because lost leases are taken again at once. */
export const TASK_LEASES = { name: 'task-leases', ttl: 10_000, storage: StorageType.Memory } as const

/** Which process does a task that needs no shard. */
export class TaskLeases {
  readonly timer: Timer = machineTimer
  readonly #bucket: LeaseBucket

  private constructor(bucket: LeaseBucket) {
    this.#bucket = bucket
  }

  /** The owner is unique. */
  static async open(jetstream: JetStreamClient, owner: string): Promise<TaskLeases> {
    const { name, ...limits } = TASK_LEASES
    const keys = natsKeyValues(await new Kvm(jetstream).create(name, { history: 1, ...limits }))
    return new TaskLeases({ keys, owner, ttlMs: limits.ttl, timer: machineTimer })
  }

  /** Undefined while another process holds the lease. */
  take(task: string): Promise<Lease | undefined> {
    return Lease.take(this.#bucket, task)
  }
}
