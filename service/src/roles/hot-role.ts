import { drainBus } from '../bus/connect.ts'
import { liveBatches, perpRows, snapshotRows } from '../bus/live-rows.ts'
import { NewestRows } from '../stores/books/newest-rows.ts'
import { RedisConnection } from '../stores/engines/redis-connection.ts'
import { openBus } from '../wiring/engines.ts'
import { type HotBatch, runHot } from '../workers/hot.ts'
import { hotRowCounter } from '../workers/worker-metrics.ts'
import type { Role } from './role.ts'

/** Bus → Redis. */
export const hotRole: Role = async ({ config, log, registry }, signal) => {
  const rows = hotRowCounter(registry)
  const connection = await openBus(config, 'hot')
  await using redis = new RedisConnection({ url: config.REDIS_URL })
  try {
    const meter = {
      stored: (count: number) => rows.inc({ outcome: 'stored' }, count),
      dropped: (count: number) => rows.inc({ outcome: 'dropped' }, count),
      failed: (error: unknown) => log.warn({ err: error, store: 'redis' }, 'writing newest rows failed'),
    }
    const batches = async function* (): AsyncGenerator<HotBatch> {
      const broken = (error: Error): void => log.error({ err: error }, 'unreadable batch message')
      for await (const batch of liveBatches(connection, signal, broken)) {
        yield { snapshots: snapshotRows(batch), perps: perpRows(batch) }
      }
    }
    await runHot({ batches: batches(), newestRows: new NewestRows(redis), meter }, signal)
  } finally {
    await drainBus(connection)
  }
}
