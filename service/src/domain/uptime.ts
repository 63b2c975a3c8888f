import { SERVICES } from './health.ts'

/** The probed services: the API as a whole, and the services that its health endpoint reports. */
export const PROBED_SERVICES = ['api', ...SERVICES] as const
export type ProbedService = (typeof PROBED_SERVICES)[number]

/** Each service is probed once per interval, aligned to the clock. */
export const PROBE_EVERY_MS = 10_000
export const UPTIME_DAYS = 90
const DAY_MS = 86_400_000

/** Probe counts of one day. */
export interface DayCount {
  readonly day: string
  /** Expected number of probes. */
  readonly expected: number
  readonly up: number
  readonly incidents: number
}

/** One day in the API. */
export interface DayUptime {
  /** `2026-11-15`, in UTC. */
  readonly date: string
  readonly state: 'measured' | 'no_data'
  /** In percent; null where there is no data. */
  readonly uptime: number | null
  readonly incidents: number
}

/**
 * The last 90 days including today. Days before the first probe have no data; a later day without any probe counts
 * as down.
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

/** Mean over the measured days; null without any. */
export function meanUptime(days: readonly DayUptime[]): number | null {
  const measured = days.flatMap(({ uptime }) => (uptime === null ? [] : [uptime]))
  if (measured.length === 0) return null
  return Math.round((measured.reduce((sum, uptime) => sum + uptime, 0) / measured.length) * 1_000) / 1_000
}

/** Rounds down, so that 100 means no failed probe. */
function percent(up: number, expected: number): number {
  return Math.floor((up / expected) * 100_000) / 1_000
}
