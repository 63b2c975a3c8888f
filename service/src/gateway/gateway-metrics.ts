import { Counter, Gauge, type Registry } from 'prom-client'

/** What the gateway counts. */
export interface GatewayMeter {
  opened(): void
  closed(reason: string): void
  sent(frames: number): void
  /** Rows that came twice or too late. */
  dropped(): void
  healed(outcome: 'healed' | 'given_up'): void
  skipped(): void
  replayed(rows: number): void
}

export function gatewayMeter(registry: Registry): GatewayMeter {
  const registers = [registry]
  const open = new Gauge({ name: 'gateway_connections', help: 'Connections that are open', registers })
  const closes = new Counter({
    name: 'gateway_closes_total',
    help: 'Connections that ended, by why',
    labelNames: ['reason'] as const,
    registers,
  })
  const frames = new Counter({ name: 'gateway_frames_total', help: 'Frames sent', registers })
  const dropped = new Counter({ name: 'gateway_dropped_rows_total', help: 'Rows that came twice or late', registers })
  const holes = new Counter({
    name: 'gateway_holes_total',
    help: 'Holes in what the bus brought, by what became of them',
    labelNames: ['outcome'] as const,
    registers,
  })
  const slow = new Counter({ name: 'gateway_slow_total', help: 'Times that a reader was too slow', registers })
  const replayed = new Counter({ name: 'gateway_replayed_rows_total', help: 'Rows sent in replays', registers })
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
    replayed: (rows) => replayed.inc(rows),
  }
}
