import { SERVICES } from './health.ts'

/** What is probed from outside: the API as a whole, and what it says of its parts. */
export const PROBED_SERVICES = ['api', ...SERVICES] as const
export type ProbedService = (typeof PROBED_SERVICES)[number]

/** One probe of each service in each of these, on the clock. */
export const PROBE_EVERY_MS = 10_000
export const UPTIME_DAYS = 90
const DAY_MS = 86_400_000

/** What the probes of one day add up to. */
export interface DayCount {
  readonly day: string
  /** Probes that there should have been. */
  readonly expected: number
  readonly up: number
  readonly incidents: number
}

/** One day as callers see it. */
export interface DayUptime {
  /** `2026-11-15`, in UTC. */
  readonly date: string
  readonly state: 'measured' | 'no_data'
  /** In percent; null where there is no data. */
  readonly uptime: number | null
  readonly incidents: number
}

/**
 * The last 90 days with today. Before the first probe there is no data; after it, a day without any probe was
 * spent in the dark, and counts as down.
 */
export function uptimeDays(
  counts: readonly DayCount[],
  { firstMs, nowMs }: { firstMs: number; nowMs: number },
): DayUptime[] {
  const byDay = new Map(counts.map((count) => [count.day, count]))
  const today = Math.floor(nowMs / DAY_MS)
  return Array.from({ length: UPTIME_DAYS }, (_, index) => {
    const day = today - UPTIME_DAYS + 1 + index
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    const count = byDay.get(date)
    if (count === undefined || count.expected === 0) {
      const isMeasured = day * DAY_MS >= firstMs && day < today
      return {
        date,
        state: isMeasured ? 'measured' : 'no_data',
        uptime: isMeasured ? 0 : null,
        incidents: isMeasured ? 1 : 0,
      }
    }
    return { date, state: 'measured', uptime: percent(count.up, count.expected), incidents: count.incidents }
  })
}

/** Of everything that was expected in those days; null without any. */
export function meanUptime(days: readonly DayUptime[]): number | null {
  const measured = days.flatMap(({ uptime }) => (uptime === null ? [] : [uptime]))
  if (measured.length === 0) return null
  return Math.round((measured.reduce((sum, uptime) => sum + uptime, 0) / measured.length) * 1_000) / 1_000
}

/** Never 100 unless nothing was missed. */
function percent(up: number, expected: number): number {
  return Math.floor((up / expected) * 100_000) / 1_000
}
