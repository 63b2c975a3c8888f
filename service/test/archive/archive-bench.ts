import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { openArchiveFeed } from '../../src/bus/archive-feed.ts'
import type { EncodedBatch } from '../../src/bus/batch-writer.ts'
import { deadLetters } from '../../src/bus/dead-letters.ts'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { ARCHIVE_CONSUMER, rowsSubject } from '../../src/bus/subjects.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { type RowInserter, rowInserter } from '../../src/stores/books/row-inserter.ts'
import { snapshotStore } from '../../src/stores/books/snapshots.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { type ArchiveSettings, runArchive } from '../../src/workers/archive.ts'
import { archiveMetrics } from '../../src/workers/archive-metrics.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'
import { INTERVAL_MS, marketIdOf, START_MS } from '../bus/tick-batches.ts'
import { openClickHouse } from '../clickhouse/open-clickhouse.ts'

/** A message that is not acknowledged for so long is redelivered. */
const ACK_WAIT_MS = 10_000

/** A bus, a ClickHouse with its tables, and archives between them. */
export interface ArchiveBench extends AsyncDisposable {
  stack: Stack
  bus: Bus
  client: ClickHouseClient
  send(batches: readonly EncodedBatch[]): Promise<void>
  /** Starts an archive; the returned function stops it and resolves when its last group is stored. */
  startArchive(settings?: Partial<ArchiveSettings>, rows?: RowInserter): Promise<() => Promise<void>>
  startArchiveProcess(): Promise<ChildProcess>
  /** Messages that are not acknowledged yet, delivered or not. */
  waiting(): Promise<number>
  /** Number of deliveries to archives, redeliveries included. */
  deliveries(): Promise<number>
  slotsOf(market: number): Promise<number[]>
}

export async function openArchiveBench(): Promise<ArchiveBench> {
  const stack = await borrowStack({ engines: ['nats', 'clickhouse'] })
  const bus = await openBus(stack, { ackWaitMs: ACK_WAIT_MS })
  const client = openClickHouse(stack)
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
  const consumer = () => bus.manager.consumers.info(rowStreamOf('polymarket.0'), ARCHIVE_CONSUMER)
  return {
    stack,
    bus,
    client,
    async send(batches) {
      for (const { shard, epoch, n, bytes } of batches)
        await bus.jetstream.publish(rowsSubject(shard), bytes, { msgID: `${shard}:${epoch}:${n}`, timeout: 30_000 })
    },
    async startArchive(settings, rows = rowInserter(client)) {
      const end = new AbortController()
      const deps = {
        feed: await openArchiveFeed(bus.jetstream),
        rows,
        gaps: gapStore(client),
        deadLetters: deadLetters(bus.jetstream),
        log: pino({ level: 'silent' }),
        metrics: archiveMetrics(new Registry()),
        settings: { groupMessages: 16, holdEveryMs: 500, maxRetryMs: 500, unreadableWaitMs: 500, ...settings },
      }
      const ended = runArchive(deps, end.signal)
      return () => {
        end.abort()
        return ended
      }
    },
    async startArchiveProcess() {
      const [url, user, password] = ['NATS_URL', 'NATS_USER', 'NATS_PASSWORD'].map((name) => stack.variable(name))
      const clickhouse = {
        url: stack.variable('CLICKHOUSE_URL'),
        username: stack.variable('CLICKHOUSE_USER'),
        password: stack.variable('CLICKHOUSE_PASSWORD'),
        database: stack.variable('CLICKHOUSE_DATABASE'),
      }
      const program = fileURLToPath(new URL('./archive-child.ts', import.meta.url))
      const child = fork(program, [JSON.stringify({ bus: { url, user, password }, clickhouse })], { execArgv: [] })
      await once(child, 'message')
      return child
    },
    async waiting() {
      const { num_pending, num_ack_pending } = await consumer()
      return num_pending + num_ack_pending
    },
    async deliveries() {
      return (await consumer()).delivered.consumer_seq
    },
    async slotsOf(market) {
      const span = {
        marketId: marketIdOf(market),
        intervalMs: INTERVAL_MS,
        fromMs: START_MS,
        toMs: START_MS + 3_600_000,
      }
      const rows = await snapshotStore(client).range(span, { order: 'asc', limit: 100_000 })
      return rows.map(({ slot }) => slot - START_MS / INTERVAL_MS)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([client.close(), bus.connection.close()])
      await stack.stop()
    },
  }
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index)
}
