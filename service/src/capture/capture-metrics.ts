import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type CaptureMetrics = ReturnType<typeof captureMetrics>

export function captureMetrics(registry: Registry) {
  const registers = [registry]
  return {
    frames: new Counter({
      name: 'capture_frames_total',
      help: 'Frames received',
      labelNames: ['venue'] as const,
      registers,
    }),
    problems: new Counter({
      name: 'capture_frame_problems_total',
      help: 'Things in frames that were not understood',
      labelNames: ['venue', 'kind'] as const,
      registers,
    }),
    frameDumps: new Counter({
      name: 'capture_frame_dumps_total',
      help: 'Files written with the last minute of a socket',
      labelNames: ['venue', 'reason'] as const,
      registers,
    }),
    rows: new Counter({
      name: 'capture_rows_total',
      help: 'Rows sampled, by whether both books were proved',
      labelNames: ['verified'] as const,
      registers,
    }),
    gaps: new Counter({
      name: 'capture_gap_records_total',
      help: 'Gap records told',
      labelNames: ['cause'] as const,
      registers,
    }),
    lost: new Counter({
      name: 'capture_sockets_lost_total',
      help: 'Sockets that ended',
      labelNames: ['cause'] as const,
      registers,
    }),
    resyncs: new Counter({ name: 'capture_resyncs_total', help: 'Books asked for anew', registers }),
    givenUp: new Counter({
      name: 'capture_batches_given_up_total',
      help: 'Batches that the bus never took; their slots became gaps',
      labelNames: ['cause'] as const,
      registers,
    }),
    followed: new Gauge({ name: 'capture_markets_followed', help: 'Markets followed', registers }),
    trusted: new Gauge({ name: 'capture_markets_trusted', help: 'Markets whose books are proved now', registers }),
    tickOffsetSeconds: new Histogram({
      name: 'capture_tick_offset_seconds',
      help: 'How late a tick was sampled',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25],
      registers,
    }),
    ackSeconds: new Histogram({
      name: 'capture_ack_seconds',
      help: 'Time until the bus had a batch on disk',
      buckets: [0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3],
      registers,
    }),
    queuedBytes: new Gauge({ name: 'capture_queued_bytes', help: 'Bytes that wait for the bus', registers }),
    wallStepSeconds: new Gauge({
      name: 'capture_wall_clock_step_seconds',
      help: 'How far the wall clock was moved since the start',
      registers,
    }),
  }
}
