import { type Incident, IncidentSearch } from './incident.ts'
import { FAILED, NO_PROBE, PROBE_EVERY_MS, PROBES_PER_HOUR, probeSlotOf } from './probe.ts'

export const UPTIME_DAYS = 90
const DAY_MS = 86_400_000
/** A probe may be stored this late before it counts as missing. */
const GRACE_MS = PROBE_EVERY_MS

/** The stored probes of one service in one hour. */
export interface ProbeHour {
  readonly hourMs: number
  /** One letter for each slot; null when every probe of the hour succeeded. */
  readonly letters: string | null
}

/** One day in the API. */
export interface DayUptime {
  /** `2026-11-15`, in UTC. */
  readonly date: string
  readonly state: 'measured' | 'no_data'
  /** Percent of the probes that succeeded; null without probes. */
  readonly uptime: number | null
  readonly probes: number
  readonly failedProbes: number
  /** Slots without a probe, from the first probe ever to now. Nothing is known about them. */
  readonly missingProbes: number
  /** Incidents that happened on this day, also when they started before. */
  readonly incidents: number
}

export interface ServiceUptime {
  /** Percent of the probes of all days that succeeded; null without probes. */
  readonly uptime: number | null
  /** The last 90 days including today, oldest first. */
  readonly days: readonly DayUptime[]
  /** Oldest first. */
  readonly incidents: readonly Incident[]
}

interface DayCount {
  made: number
  failed: number
}

/** Everything that the status page says about the past of one service, from its stored probes alone. */
export function uptimeOf(hours: readonly ProbeHour[], nowMs: number): ServiceUptime {
  const untilMs = probeSlotOf(nowMs - GRACE_MS)
  const search = new IncidentSearch()
  const counts = new Map<number, DayCount>()
  let firstMs: number | undefined
  for (const { hourMs, letters } of hours) {
    const day = Math.floor(hourMs / DAY_MS)
    const count = counts.get(day) ?? { made: 0, failed: 0 }
    counts.set(day, count)
    if (letters === null && search.isCalm && hourMs + PROBES_PER_HOUR * PROBE_EVERY_MS <= untilMs) {
      firstMs ??= hourMs
      count.made += PROBES_PER_HOUR
      search.add(hourMs + (PROBES_PER_HOUR - 1) * PROBE_EVERY_MS, true)
      continue
    }
    for (let slot = 0; slot < PROBES_PER_HOUR; slot++) {
      const atMs = hourMs + slot * PROBE_EVERY_MS
      const letter = letters?.charAt(slot)
      if (letter === NO_PROBE || atMs >= untilMs) continue
      firstMs ??= atMs
      count.made++
      if (letter === FAILED) count.failed++
      search.add(atMs, letter !== FAILED)
    }
  }
  const incidents = search.until(untilMs)
  const days = lastDays(nowMs).map((day) => {
    const { made, failed } = counts.get(day) ?? { made: 0, failed: 0 }
    const expected = Math.min((day + 1) * DAY_MS, untilMs) - Math.max(day * DAY_MS, firstMs ?? untilMs)
    return {
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      state: made === 0 ? ('no_data' as const) : ('measured' as const),
      uptime: percent(made - failed, made),
      probes: made,
      failedProbes: failed,
      missingProbes: Math.max(0, expected / PROBE_EVERY_MS) - made,
      incidents: incidents.filter((incident) => happenedOn(day, incident)).length,
    }
  })
  const made = days.reduce((sum, { probes }) => sum + probes, 0)
  const failed = days.reduce((sum, { failedProbes }) => sum + failedProbes, 0)
  return { uptime: percent(made - failed, made), days, incidents }
}

function lastDays(nowMs: number): number[] {
  const today = Math.floor(nowMs / DAY_MS)
  return Array.from({ length: UPTIME_DAYS }, (_, index) => today - UPTIME_DAYS + 1 + index)
}

function happenedOn(day: number, { startedAtMs, endedAtMs = Number.POSITIVE_INFINITY }: Incident): boolean {
  return startedAtMs < (day + 1) * DAY_MS && endedAtMs > day * DAY_MS
}

/** Rounds down, so that 100 means no failed probe. */
function percent(up: number, made: number): number | null {
  return made === 0 ? null : Math.floor((up / made) * 100_000) / 1_000
}
