import { Counter, Gauge, type Registry } from 'prom-client'

export type RawMetrics = ReturnType<typeof rawMetrics>

export function rawMetrics(registry: Registry) {
  const registers = [registry]
  return {
    records: new Counter({
      name: 'raw_records_total',
      help: 'Records written to the raw archive',
      labelNames: ['kind'] as const,
      registers,
    }),
    dropped: new Counter({
      name: 'raw_dropped_records_total',
      help: 'Records that the raw archive could not take; rows are not affected',
      labelNames: ['reason'] as const,
      registers,
    }),
    rawBytes: new Counter({
      name: 'raw_bytes_total',
      help: 'Bytes of records in the raw archive before compression',
      registers,
    }),
    storedBytes: new Counter({
      name: 'raw_stored_bytes_total',
      help: 'Bytes of records in the raw archive after compression',
      registers,
    }),
    queuedBytes: new Gauge({ name: 'raw_queued_bytes', help: 'Bytes in memory that wait for the disk', registers }),
    paused: new Gauge({
      name: 'raw_paused',
      help: '1 while the raw archive is not written because its disk is full or fails',
      registers,
    }),
    archiveBytes: new Gauge({
      name: 'raw_archive_bytes',
      help: 'Bytes of the raw archive, in the folder and in object storage',
      labelNames: ['place'] as const,
      registers,
    }),
    waiting: new Gauge({
      name: 'raw_segments_waiting',
      help: 'Segments that are not yet in object storage',
      registers,
    }),
    uploaded: new Counter({ name: 'raw_segments_uploaded_total', help: 'Segments uploaded', registers }),
    uploadFailures: new Counter({
      name: 'raw_upload_failures_total',
      help: 'Failed uploads; they are retried',
      registers,
    }),
    deleted: new Counter({
      name: 'raw_segments_deleted_total',
      help: 'Segments deleted because of their age or of RAW_MAX_BYTES',
      labelNames: ['place'] as const,
      registers,
    }),
    lost: new Counter({
      name: 'raw_segments_never_uploaded_total',
      help: 'Segments deleted from the folder before they could be uploaded',
      registers,
    }),
  }
}
