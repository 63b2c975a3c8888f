import type { Heartbeat, Totals } from '../../domain/heartbeat.ts'
import { sumOf } from '../../domain/heartbeat.ts'

export interface ShardFigures {
  readonly venue: string
  readonly held: number
  readonly standby: number
}

export interface RecorderFigures {
  readonly process: string
  readonly shards: readonly ShardFigures[]
  readonly marketsFollowed: number
  readonly marketsTrusted: number
  readonly queuedBytes: number
}

/** The processes that record, each with its shards. */
export function recordersOf(heartbeats: readonly Heartbeat[]): RecorderFigures[] {
  return heartbeats
    .filter(({ roles }) => roles.includes('capture'))
    .map((heartbeat) => ({
      process: heartbeat.process,
      shards: shardsOf([heartbeat]),
      marketsFollowed: totalOf([heartbeat], 'capture_markets_followed'),
      marketsTrusted: totalOf([heartbeat], 'capture_markets_trusted'),
      queuedBytes: totalOf([heartbeat], 'capture_queued_bytes'),
    }))
    .sort((one, other) => (one.process < other.process ? -1 : 1))
}

/** Shards of each venue that recorders hold a lease of, and places of recorders that stand by for them. */
export function shardsOf(heartbeats: readonly Heartbeat[]): ShardFigures[] {
  const readings = readingsOf(heartbeats, 'capture_shards')
  return [...Map.groupBy(readings, ({ labels }) => labels.venue ?? '')]
    .map(([venue, all]) => {
      const sum = (place: string): number =>
        all.filter(({ labels }) => labels.place === place).reduce((total, { value }) => total + value, 0)
      return { venue, held: sum('held'), standby: sum('standby') }
    })
    .sort((one, other) => (one.venue < other.venue ? -1 : 1))
}

/** Sum of a metric over processes. */
export function totalOf(heartbeats: readonly Heartbeat[], name: string): number {
  return readingsOf(heartbeats, name).reduce((sum, { value }) => sum + value, 0)
}

/** Per second, over all processes. */
export function rateOf(rates: readonly Totals[], name: string): number {
  return Math.round(rates.reduce((sum, each) => sum + sumOf(each, name), 0) * 100) / 100
}

function readingsOf(heartbeats: readonly Heartbeat[], name: string) {
  return heartbeats
    .flatMap(({ metrics }) => metrics)
    .filter((metric) => metric.name === name)
    .flatMap(({ readings }) => readings)
}
