import { PROBE_EVERY_MS } from './uptime.ts'

/** So many probes in a row begin an incident, and so many good ones end it: a single lost one is no story. */
export const TURNS_AFTER_PROBES = 3

export interface Incident {
  /** The first probe that failed. */
  readonly startedAtMs: number
  /** The first good one after it; undefined while it lasts. */
  readonly endedAtMs?: number
  /** False: all that is known is that nobody probed. */
  readonly wasSeenDown: boolean
}

/** How far the probes of one service are judged, and how things stood there. */
export interface IncidentWatch {
  readonly nextSlotMs: number
  readonly open?: Incident
  /** Probes that contradict the present state, as long as they are too few to change it. */
  readonly turning?: { readonly sinceMs: number; readonly wasSeenDown: boolean }
}

export interface Judgement {
  readonly watch: IncidentWatch
  /** Ended on the way, the earliest first. */
  readonly ended: readonly Incident[]
}

/** Judges every slot up to a moment: its probe if it has one, else it counts as failed. In pieces or at once, it is the same. */
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
