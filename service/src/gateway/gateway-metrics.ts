import { Counter, Gauge, type Registry } from 'prom-client'

/** The counters of the gateway. */
export interface GatewayMeter {
  opened(): void
  closed(reason: string): void
  sent(frames: number): void
  /** Rows that arrived twice or too late. */
  dropped(): void
  healed(outcome: 'healed' | 'given_up'): void
  skipped(): void
  /** A connection sent too much before its key was accepted. */
  cutEarly(reason: 'bytes' | 'frames'): void
  replayed(rows: number): void
  /** A frame of a client that was invalid or too frequent. */
  refusedFrame(code: string): void
}

export function gatewayMeter(registry: Registry): GatewayMeter {
  const registers = [registry]
  const open = new Gauge({ name: 'gateway_connections', help: 'Open WebSocket connections', registers })
  const closes = new Counter({
    name: 'gateway_closes_total',
    help: 'Closed WebSocket connections by close code',
    labelNames: ['reason'] as const,
    registers,
  })
  const frames = new Counter({ name: 'gateway_frames_total', help: 'Frames sent to clients', registers })
  const dropped = new Counter({
    name: 'gateway_dropped_rows_total',
    help: 'Rows from the bus that were dropped because they arrived twice or too late',
    registers,
  })
  const holes = new Counter({
    name: 'gateway_holes_total',
    help: 'Slots missing on the bus: healed (found in the store or explained by a gap record) or given_up (skipped after a time limit)',
    labelNames: ['outcome'] as const,
    registers,
  })
  const slow = new Counter({
    name: 'gateway_slow_total',
    help: 'Times that the send buffer of a slow client was full',
    registers,
  })
  const early = new Counter({
    name: 'gateway_early_cuts_total',
    help: 'Connections that were closed because they sent too many bytes or frames before their key was accepted',
    labelNames: ['reason'] as const,
    registers,
  })
  const replayed = new Counter({
    name: 'gateway_replayed_rows_total',
    help: 'Rows sent in replays; a prediction market row counts twice, once per token',
    registers,
  })
  const refusedFrames = new Counter({
    name: 'gateway_refused_frames_total',
    help: 'Frames of clients that were invalid, too frequent or too many at once, by error code',
    labelNames: ['code'] as const,
    registers,
  })
  return {
    opened: () => open.inc(),
    closed(reason) {
      open.dec()
      closes.inc({ reason })
    },
    sent: (count) => frames.inc(count),
    dropped: () => dropped.inc(),
    healed: (outcome) => holes.inc({ outcome }),
    skipped: () => slow.inc(),
    cutEarly: (reason) => early.inc({ reason }),
    replayed: (rows) => replayed.inc(rows),
    refusedFrame: (code) => refusedFrames.inc({ code }),
  }
}
