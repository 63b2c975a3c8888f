/** One value of a metric with its labels, such as `venue=polymarket`. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly kind: 'counter' | 'gauge'
  readonly readings: readonly Reading[]
}

/** Published by every process once a second. */
export interface Heartbeat {
  readonly roles: readonly string[]
  /** A random id of the process. */
  readonly process: string
  readonly atMs: number
  readonly startedAtMs: number
  readonly metrics: readonly Metric[]
}

/** Sums over all processes, by metric name and label values. */
export type Totals = Readonly<Record<string, Readonly<Record<string, number>>>>

/** `venue=polymarket kind=unknown_key` becomes `polymarket unknown_key`; without labels it is `all`. */
function keyOf(labels: Readonly<Record<string, string>>): string {
  return Object.values(labels).join(' ') || 'all'
}

export function totalsOf(heartbeats: readonly Heartbeat[], kind: Metric['kind']): Totals {
  const totals: Record<string, Record<string, number>> = {}
  for (const { metrics } of heartbeats) {
    for (const metric of metrics) {
      if (metric.kind !== kind) continue
      totals[metric.name] ??= {}
      const sums = totals[metric.name] as Record<string, number>
      for (const { labels, value } of metric.readings) sums[keyOf(labels)] = (sums[keyOf(labels)] ?? 0) + value
    }
  }
  return totals
}

/** Counter increase per second between two heartbeats of one process. */
export function ratesBetween(earlier: Heartbeat, later: Heartbeat): Totals {
  const seconds = (later.atMs - earlier.atMs) / 1_000
  if (seconds <= 0) return {}
  const before = totalsOf([earlier], 'counter')
  const rates: Record<string, Record<string, number>> = {}
  for (const [name, readings] of Object.entries(totalsOf([later], 'counter'))) {
    rates[name] = Object.fromEntries(
      Object.entries(readings).map(([key, value]) => [key, Math.max(0, value - (before[name]?.[key] ?? 0)) / seconds]),
    )
  }
  return rates
}

export function sumOf(totals: Totals, name: string): number {
  return Object.values(totals[name] ?? {}).reduce((sum, value) => sum + value, 0)
}
