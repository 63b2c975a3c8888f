import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type ArchiveMetrics = ReturnType<typeof archiveMetrics>

export function archiveMetrics(registry: Registry) {
  const registers = [registry]
  return {
    rows: new Counter({
      name: 'archive_rows_total',
      help: 'Rows inserted into ClickHouse, including repeated rows',
      labelNames: ['table'] as const,
      registers,
    }),
    messages: new Counter({
      name: 'archive_messages_total',
      help: 'Messages by outcome: stored, buried (moved to the dead letters), newer_version (waits for a newer archive), unconfirmed (acknowledgement not confirmed) or given_back (moving to the dead letters failed)',
      labelNames: ['outcome'] as const,
      registers,
    }),
    redelivered: new Counter({
      name: 'archive_redelivered_total',
      help: 'Messages that NATS delivered again',
      registers,
    }),
    outages: new Counter({
      name: 'archive_failed_inserts_total',
      help: 'Inserts that failed temporarily and are retried',
      registers,
    }),
    held: new Gauge({
      name: 'archive_held_messages',
      help: 'Messages that are received but not acknowledged',
      registers,
    }),
    insertSeconds: new Histogram({
      name: 'archive_insert_seconds',
      help: 'Duration of one insert until the rows are on disk',
      labelNames: ['table'] as const,
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
  }
}
