import { PROBE_EVERY_MS } from './uptime.ts'

/** Consecutive failed probes that start an incident, and successful ones that end it. */
export const TURNS_AFTER_PROBES = 3

export interface Incident {
  /** The first probe that failed. */
  readonly startedAtMs: number
  /** The first successful probe after it; undefined while the incident is open. */
  readonly endedAtMs?: number
  /** False when there were only missing probes and no failed one. */
  readonly wasSeenDown: boolean
}

/** The state of one service after the probes that were evaluated so far. */
export interface IncidentWatch {
  readonly nextSlotMs: number
  readonly open?: Incident
  /** Probes that contradict the current state, but are too few to change it. */
  readonly turning?: { readonly sinceMs: number; readonly wasSeenDown: boolean }
}

export interface Judgement {
  readonly watch: IncidentWatch
  /** Incidents that ended, oldest first. */
  readonly ended: readonly Incident[]
}

/** Evaluates all probe slots up to a time; a missing probe counts as failed. */
export function judgeProbes(watch: IncidentWatch, isUpAt: ReadonlyMap<number, boolean>, untilMs: number): Judgement {
  let { nextSlotMs, open, turning } = watch
  const ended: Incident[] = []
  for (; nextSlotMs + PROBE_EVERY_MS <= untilMs; nextSlotMs += PROBE_EVERY_MS) {
    const isUp = isUpAt.get(nextSlotMs)
    if (isUp === false && open?.wasSeenDown === false) open = { ...open, wasSeenDown: true }
    if ((isUp ?? false) === (open === undefined)) {
      turning = undefined
      continue
    }
    const wasSeenDown = isUp === false || turning?.wasSeenDown === true
    turning = { sinceMs: turning?.sinceMs ?? nextSlotMs, wasSeenDown }
    if (nextSlotMs - turning.sinceMs < (TURNS_AFTER_PROBES - 1) * PROBE_EVERY_MS) continue
    if (open === undefined) open = { startedAtMs: turning.sinceMs, wasSeenDown }
    else {
      ended.push({ ...open, endedAtMs: turning.sinceMs })
      open = undefined
    }
    turning = undefined
  }
  return { watch: { nextSlotMs, ...(open && { open }), ...(turning && { turning }) }, ended }
}
