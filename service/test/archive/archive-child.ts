/** An archive in its own process, so that it can be killed. Its one argument has the addresses of the engines. */
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { jetstream } from '@nats-io/jetstream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { openArchiveFeed } from '../../src/bus/archive-feed.ts'
import { connectBus } from '../../src/bus/connect.ts'
import { deadLetters } from '../../src/bus/dead-letters.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { rowInserter } from '../../src/stores/books/row-inserter.ts'
import { runArchive } from '../../src/workers/archive.ts'
import { archiveMetrics } from '../../src/workers/archive-metrics.ts'

const { bus, clickhouse } = JSON.parse(process.argv[2] ?? '')
const connection = await connectBus(bus, 'archive')
const client = createClient({ ...clickhouse, log: { level: ClickHouseLogLevel.OFF } })
const end = new AbortController()
process.on('SIGTERM', () => end.abort())
const stream = jetstream(connection)
const feed = await openArchiveFeed(stream)
process.send?.('ready')
await runArchive(
  {
    feed,
    rows: rowInserter(client),
    gaps: gapStore(client),
    deadLetters: deadLetters(stream),
    log: pino({ level: 'silent' }),
    metrics: archiveMetrics(new Registry()),
    settings: { groupMessages: 8, holdEveryMs: 500 },
  },
  end.signal,
)
await Promise.all([connection.close(), client.close()])
process.disconnect?.()
