import type { Delivery } from '@bookreel/service/bus/archive-feed'
import { openArchiveFeed } from '@bookreel/service/bus/archive-feed'
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
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { EXPIRE_AFTER_MS } from './place-world.ts'

export interface StoringRolesDeps {
  readonly bus: NatsConnection
  readonly clickhouse: ClickHouseClient
  readonly redis: RedisConnection
  readonly shards: readonly string[]
}

/** The archive usually gathers for a second. */
const GATHER_MS = 20

/** The work of the roles archive and hot, which count here what they have stored. */
export class StoringRoles {
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  readonly #archived = new Set<string>()
  #hotRows = 0

  private constructor(
    deps: StoringRolesDeps,
    client: JetStreamClient,
    feed: Awaited<ReturnType<typeof openArchiveFeed>>,
    batches: Arriving<HotBatch>,
  ) {
    const noted = (delivery: Delivery): Delivery => ({
      ...delivery,
      acknowledge: () => {
        this.#archived.add(delivery.id)
        return delivery.acknowledge()
      },
    })
    const count = (rows: number): void => {
      this.#hotRows += rows
    }
    const archive = runArchive(
      {
        feed: {
          get waiting() {
            return feed.waiting
          },
          rest: () => feed.rest(),
          next: async (most) => (await feed.next(most)).map(noted),
        },
        rows: rowInserter(deps.clickhouse),
        gaps: gapStore(deps.clickhouse),
        deadLetters: deadLetters(client),
        log: pino({ level: 'silent' }),
        metrics: archiveMetrics(new Registry()),
        settings: { lastFetchMs: 0 },
      },
      this.#stop.signal,
    )
    const newestRows = new NewestRows(deps.redis, { expireAfterMs: EXPIRE_AFTER_MS })
    const meter = { stored: count, dropped: count, failed: () => {} }
    this.#running = Promise.allSettled([archive, runHot({ batches, newestRows, meter }, this.#stop.signal)])
  }

  static async start(deps: StoringRolesDeps): Promise<StoringRoles> {
    const batches = new Arriving<HotBatch>()
    const feed = new ShardFeed({
      onBatch: (batch) => batches.push({ snapshots: snapshotRows(batch), perps: perpRows(batch) }),
      onProblem: (error) => {
        throw error
      },
    })
    feed.attach(deps.bus)
    for (const shard of deps.shards) feed.want(shard)
    await feed.subscribed()
    const client = jetstream(deps.bus)
    return new StoringRoles(deps, client, await openArchiveFeed(client, GATHER_MS), batches)
  }

  /** Messages that are in ClickHouse. */
  get archivedCount(): number {
    return this.#archived.size
  }

  /** Rows that are in Redis, or were replaced by newer ones before. */
  get hotCount(): number {
    return this.#hotRows
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}
