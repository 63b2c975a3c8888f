import { PROBE_EVERY_MS } from './probe.ts'

/** Failed probes in a row that start an incident, and successful ones that end it. */
export const TURNS_AFTER_PROBES = 3
/** After a longer time without probes nothing is known, so an incident does not continue over it. */
export const LONGEST_BREAK_MS = 6 * PROBE_EVERY_MS

export interface Incident {
  /** The first probe that failed. */
  readonly startedAtMs: number
  /** The first successful probe after it, or the end of the last failed probe before a break; undefined while open. */
  readonly endedAtMs?: number
}

/** Finds the incidents in the probes of one service. Probes are given in order of time; missing ones are left out. */
export class IncidentSearch {
  readonly #ended: Incident[] = []
  #openSinceMs: number | undefined
  /** Probes that contradict the current state, but are too few to change it. */
  #turning: { readonly sinceMs: number; readonly count: number } | undefined
  #lastMs: number | undefined
  #lastFailedMs: number | undefined

  /** Whether successful probes change nothing. */
  get isCalm(): boolean {
    return this.#openSinceMs === undefined && this.#turning === undefined
  }

  add(atMs: number, isUp: boolean): void {
    this.#endAtBreak(atMs)
    this.#lastMs = atMs
    if (!isUp) this.#lastFailedMs = atMs
    if (isUp === (this.#openSinceMs === undefined)) {
      this.#turning = undefined
      return
    }
    const { sinceMs, count } = this.#turning ?? { sinceMs: atMs, count: 0 }
    this.#turning = { sinceMs, count: count + 1 }
    if (this.#turning.count < TURNS_AFTER_PROBES) return
    this.#turning = undefined
    if (this.#openSinceMs === undefined) this.#openSinceMs = sinceMs
    else this.#end(sinceMs)
  }

  /** All incidents up to the time, oldest first; only the last one may be open. */
  until(nowMs: number): Incident[] {
    this.#endAtBreak(nowMs)
    return this.#openSinceMs === undefined ? [...this.#ended] : [...this.#ended, { startedAtMs: this.#openSinceMs }]
  }

  #endAtBreak(nowMs: number): void {
    if (this.#lastMs === undefined || nowMs - this.#lastMs <= LONGEST_BREAK_MS) return
    this.#turning = undefined
    if (this.#openSinceMs !== undefined) this.#end((this.#lastFailedMs ?? this.#lastMs) + PROBE_EVERY_MS)
  }

  #end(endedAtMs: number): void {
    if (this.#openSinceMs !== undefined) this.#ended.push({ startedAtMs: this.#openSinceMs, endedAtMs })
    this.#openSinceMs = undefined
  }
}
