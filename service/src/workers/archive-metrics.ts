import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type ArchiveMetrics = ReturnType<typeof archiveMetrics>

export function archiveMetrics(registry: Registry) {
  const registers = [registry]
  return {
    rows: new Counter({
      name: 'archive_rows_total',
      help: 'Rows inserted into ClickHouse, repeats included',
      labelNames: ['table'] as const,
      registers,
    }),
    messages: new Counter({
      name: 'archive_messages_total',
      help: 'Messages by what became of them',
      labelNames: ['outcome'] as const,
      registers,
    }),
    redelivered: new Counter({
      name: 'archive_redelivered_total',
      help: 'Messages that had been delivered before',
      registers,
    }),
    outages: new Counter({
      name: 'archive_failed_inserts_total',
      help: 'Inserts that failed for a reason that may pass, and are tried again',
      registers,
    }),
    held: new Gauge({
      name: 'archive_held_messages',
      help: 'Messages received and not yet acknowledged',
      registers,
    }),
    insertSeconds: new Histogram({
      name: 'archive_insert_seconds',
      help: 'Time of one insert, until it is on the disk',
      labelNames: ['table'] as const,
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
  }
}
