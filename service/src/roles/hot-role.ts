import { randomUUID } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import type { Batch } from '../bus/batch.ts'
import { drainBus } from '../bus/connect.ts'
import { GroupLeases } from '../bus/group-leases.ts'
import { perpRows, snapshotRows } from '../bus/live-rows.ts'
import { shardsByStream } from '../bus/row-streams.ts'
import { ShardFeed } from '../bus/shard-feed.ts'
import { NewestRows } from '../stores/books/newest-rows.ts'
import { RedisConnection } from '../stores/engines/redis-connection.ts'
import { openBus } from '../wiring/engines.ts'
import { Arriving } from '../workers/arriving.ts'
import { type HotBatch, runHot } from '../workers/hot.ts'
import { HotGroups } from '../workers/hot-groups.ts'
import { hotGroupGauge, hotRowCounter } from '../workers/worker-metrics.ts'
import type { Role } from './role.ts'

/** Bus → Redis. */
export const hotRole: Role = async ({ config, log, registry }, signal) => {
  const rows = hotRowCounter(registry)
  const groupGauge = hotGroupGauge(registry)
  const connection = await openBus(config, 'hot')
  await using redis = new RedisConnection({ url: config.REDIS_URL })
  try {
    const meter = {
      stored: (count: number) => rows.inc({ outcome: 'stored' }, count),
      dropped: (count: number) => rows.inc({ outcome: 'dropped' }, count),
      failed: (error: unknown) => log.warn({ err: error, store: 'redis' }, 'writing newest rows failed'),
    }
    const batches = new Arriving<HotBatch>()
    const feed = new ShardFeed({
      onBatch: (batch: Batch) => batches.push({ snapshots: snapshotRows(batch), perps: perpRows(batch) }),
      onProblem: (error) => log.error({ err: error }, 'unreadable batch message'),
    })
    feed.attach(connection)
    const client = jetstream(connection)
    const manager = await client.jetstreamManager(false)
    const groups = new HotGroups({
      leases: await GroupLeases.open(client, randomUUID()),
      groups: () => shardsByStream(manager),
      feed,
      onChange: (held) => groupGauge.set(held),
      onTrouble: (error) => log.warn({ err: error }, 'dividing the groups of shards failed'),
    })
    await Promise.all([groups.run(signal), runHot({ batches, newestRows: new NewestRows(redis), meter }, signal)])
  } finally {
    await drainBus(connection)
  }
}
