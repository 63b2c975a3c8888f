import { jetstream } from '@nats-io/jetstream'
import { openArchiveFeed } from '../bus/archive-feed.ts'
import { drainBus } from '../bus/connect.ts'
import { deadLetters } from '../bus/dead-letters.ts'
import { gapStore } from '../stores/books/gaps.ts'
import { rowInserter } from '../stores/books/row-inserter.ts'
import { openBus, openClickHouse } from '../wiring/engines.ts'
import { runArchive } from '../workers/archive.ts'
import { archiveMetrics } from '../workers/archive-metrics.ts'
import type { Role } from './role.ts'

/** Bus → ClickHouse. */
export const archiveRole: Role = async ({ config, log, registry }, signal) => {
  const connection = await openBus(config, 'archive')
  const clickhouse = openClickHouse(config)
  try {
    const client = jetstream(connection)
    await runArchive(
      {
        feed: await openArchiveFeed(client),
        rows: rowInserter(clickhouse),
        gaps: gapStore(clickhouse),
        deadLetters: deadLetters(client),
        log,
        metrics: archiveMetrics(registry),
      },
      signal,
    )
  } finally {
    await clickhouse.close()
    await drainBus(connection)
  }
}
