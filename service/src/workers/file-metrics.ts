import { Counter, type Registry } from 'prom-client'

export function fileMetrics(registry: Registry) {
  return {
    files: new Counter({
      name: 'files_total',
      help: 'Files of finished days by outcome; one that was postponed or failed is tried again every minute',
      labelNames: ['outcome'] as const,
      registers: [registry],
    }),
    rows: new Counter({
      name: 'file_rows_total',
      help: 'Rows in the files that were made',
      registers: [registry],
    }),
  }
}
