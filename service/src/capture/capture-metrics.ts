import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type CaptureMetrics = ReturnType<typeof captureMetrics>

export function captureMetrics(registry: Registry) {
  const registers = [registry]
  return {
    frames: new Counter({
      name: 'capture_frames_total',
      help: 'Frames received from a venue',
      labelNames: ['venue'] as const,
      registers,
    }),
    problems: new Counter({
      name: 'capture_frame_problems_total',
      help: 'Frames or fields that could not be decoded',
      labelNames: ['venue', 'kind'] as const,
      registers,
    }),
    frameDumps: new Counter({
      name: 'capture_frame_dumps_total',
      help: 'Files written with the last minute of frames of a socket',
      labelNames: ['venue', 'reason'] as const,
      registers,
    }),
    rows: new Counter({
      name: 'capture_rows_total',
      help: 'Rows sampled, by whether both books of the market were proved',
      labelNames: ['verified'] as const,
      registers,
    }),
    gaps: new Counter({
      name: 'capture_gap_records_total',
      help: 'Gap records published',
      labelNames: ['cause'] as const,
      registers,
    }),
    lost: new Counter({
      name: 'capture_sockets_lost_total',
      help: 'Venue sockets that disconnected',
      labelNames: ['cause'] as const,
      registers,
    }),
    resyncs: new Counter({
      name: 'capture_resyncs_total',
      help: 'Requests for a new whole book of a market',
      registers,
    }),
    givenUp: new Counter({
      name: 'capture_batches_given_up_total',
      help: 'Batches that could not be published; their slots became gaps',
      labelNames: ['cause'] as const,
      registers,
    }),
    followed: new Gauge({ name: 'capture_markets_followed', help: 'Markets followed', registers }),
    trusted: new Gauge({
      name: 'capture_markets_trusted',
      help: 'Followed markets whose books are proved now',
      registers,
    }),
    tickOffsetSeconds: new Histogram({
      name: 'capture_tick_offset_seconds',
      help: 'Delay between a tick and its sampling',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25],
      registers,
    }),
    ackSeconds: new Histogram({
      name: 'capture_ack_seconds',
      help: 'Time until NATS acknowledged a batch',
      buckets: [0.002, 0.005, 0.01, 0.03, 0.1, 0.3, 1, 3],
      registers,
    }),
    queuedBytes: new Gauge({ name: 'capture_queued_bytes', help: 'Bytes queued for publishing to NATS', registers }),
    wallStepSeconds: new Gauge({
      name: 'capture_wall_clock_step_seconds',
      help: 'How far the wall clock was moved since the start of the process',
      registers,
    }),
  }
}
