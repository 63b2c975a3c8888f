import { type Delivery, openArchiveFeed } from '@bookreel/service/bus/archive-feed'
import { deadLetters } from '@bookreel/service/bus/dead-letters'
import { perpRows, snapshotRows } from '@bookreel/service/bus/live-rows'
import { ShardFeed } from '@bookreel/service/bus/shard-feed'
import { gapStore } from '@bookreel/service/stores/books/gaps'
import { NewestRows } from '@bookreel/service/stores/books/newest-rows'
import { rowInserter } from '@bookreel/service/stores/books/row-inserter'
import type { RedisConnection } from '@bookreel/service/stores/engines/redis-connection'
import { runArchive } from '@bookreel/service/workers/archive'
import { archiveMetrics } from '@bookreel/service/workers/archive-metrics'
import { Arriving } from '@bookreel/service/workers/arriving'
import { type HotBatch, runHot } from '@bookreel/service/workers/hot'
import type { ClickHouseClient } from '@clickhouse/client'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { EXPIRE_AFTER_MS } from './place-world.ts'

interface StoringRolesDeps {
  readonly bus: NatsConnection
  readonly clickhouse: ClickHouseClient
  readonly redis: RedisConnection
  readonly shards: readonly string[]
}

export interface StoringRoles {
  /** Messages that are in ClickHouse. */
  archivedCount(): number
  /** Rows that are in Redis, or that newer ones have replaced before. */
  hotCount(): number
  stop(): Promise<void>
}

/** The archive usually gathers for a second. */
const GATHER_MS = 20

/** Does the work of the roles archive and hot, and counts what they have stored. */
export async function startStoringRoles({ bus, clickhouse, redis, shards }: StoringRolesDeps): Promise<StoringRoles> {
  const stop = new AbortController()
  const archived = new Set<string>()
  let hotRows = 0
  const noted = (delivery: Delivery): Delivery => ({
    ...delivery,
    acknowledge: () => {
      archived.add(delivery.id)
      return delivery.acknowledge()
    },
  })
  const client = jetstream(bus)
  const feed = await openArchiveFeed(client, GATHER_MS)
  const archive = runArchive(
    {
      feed: {
        get waiting() {
          return feed.waiting
        },
        rest: () => feed.rest(),
        next: async (most) => (await feed.next(most)).map(noted),
      },
      rows: rowInserter(clickhouse),
      gaps: gapStore(clickhouse),
      deadLetters: deadLetters(client),
      log: pino({ level: 'silent' }),
      metrics: archiveMetrics(new Registry()),
      settings: { lastFetchMs: 0 },
    },
    stop.signal,
  )
  const batches = new Arriving<HotBatch>()
  const live = new ShardFeed({
    onBatch: (batch) => batches.push({ snapshots: snapshotRows(batch), perps: perpRows(batch) }),
    onProblem: (error) => {
      throw error
    },
  })
  live.attach(bus)
  for (const shard of shards) live.want(shard)
  await live.subscribed()
  const count = (rows: number): void => {
    hotRows += rows
  }
  const newestRows = new NewestRows(redis, { expireAfterMs: EXPIRE_AFTER_MS })
  const hot = runHot({ batches, newestRows, meter: { stored: count, dropped: count, failed: () => {} } }, stop.signal)
  return {
    archivedCount: () => archived.size,
    hotCount: () => hotRows,
    async stop() {
      stop.abort()
      await Promise.allSettled([archive, hot])
    },
  }
}
