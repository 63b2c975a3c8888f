import { type JetStreamManager, jetstream, type StorageType } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { GROUP_LEASES } from './group-leases.ts'
import { INTERVALS } from './market-intervals.ts'
import { STATE_BUCKET } from './shard-counts.ts'
import { TASK_LEASES } from './task-leases.ts'

/** A key-value bucket; its entries expire after `ttl` milliseconds, if it is given. */
interface Bucket {
  readonly name: string
  readonly ttl?: number
  /** Set where others are told that an entry has expired. */
  readonly markerTTL?: number
  readonly storage?: StorageType
}

const LEASES: Bucket = { name: 'shard-leases', ttl: 3_000, markerTTL: 1_000 }
/** What can't be found elsewhere after a loss of NATS. */
export const KEPT_BUCKETS: readonly Bucket[] = [{ name: STATE_BUCKET }, INTERVALS]

/** Creates the buckets with this number of replicas, or changes it; a bucket that a process creates itself has one. */
export async function prepareBuckets(
  connection: NatsConnection,
  manager: JetStreamManager,
  replicas: number,
): Promise<void> {
  const kvm = new Kvm(jetstream(connection))
  for (const bucket of [LEASES, GROUP_LEASES, TASK_LEASES, ...KEPT_BUCKETS]) {
    await createBucket(kvm, bucket, replicas)
    const { config } = await manager.streams.info(streamOf(bucket))
    if (config.num_replicas !== replicas)
      await manager.streams.update(streamOf(bucket), { ...config, num_replicas: replicas })
  }
}

export function createBucket(kvm: Kvm, { name, ...limits }: Bucket, replicas: number) {
  return kvm.create(name, { history: 1, replicas, ...limits })
}

function streamOf({ name }: Bucket): string {
  return `KV_${name}`
}
