import { API_ERRORS, type ErrorCode } from './api-error.ts'
import { type Heartbeat, type Totals, totalsOf } from './heartbeat.ts'

/** Metrics that count errors. */
const ERROR_METRICS =
  /problems|lost|given_up|failed|failures|redelivered|refused|gap_records|frame_dumps|errors|dropped|rejected|missed|broken|never_uploaded/
/** Label values that count errors. */
const ERROR_LABELS =
  /refused|dropped|dead|failed|terminated|given_up|given_back|buried|newer_version|unconfirmed|no_answer/
/** By the last label. Callers can cause other statuses and codes whenever they like. */
const LAST_LABELS: Readonly<Record<string, (label: string) => boolean>> = {
  api_requests_total: (status) => isFailure(Number(status)),
  api_refusals_total: (code) => isFailure(API_ERRORS[code as ErrorCode]?.status ?? 0),
  prober_probes_total: (state) => state !== 'ok',
}

/** 501 says what the operator has not configured. */
function isFailure(status: number): boolean {
  return status >= 500 && status !== 501
}

function countsErrors(name: string, key: string): boolean {
  const isError = LAST_LABELS[name]
  if (isError !== undefined) return isError(key.split(' ').at(-1) ?? '')
  return ERROR_METRICS.test(name) || ERROR_LABELS.test(key)
}

/** The counters of these processes that count errors, since the start of each process. */
export function errorTotals(heartbeats: readonly Heartbeat[]): Record<string, Record<string, number>> {
  const errors = Object.entries(totalsOf(heartbeats, 'counter')).map(
    ([name, readings]): [string, Record<string, number>] => [
      name,
      Object.fromEntries(Object.entries(readings).filter(([key]) => countsErrors(name, key))),
    ],
  )
  return Object.fromEntries(errors.filter(([, readings]) => Object.keys(readings).length > 0))
}

/** A counter of errors that has grown. */
export interface GrownCounter {
  readonly name: string
  /** Values of its labels. */
  readonly of: string
  readonly grownBy: number
}

interface Observed {
  readonly atMs: number
  readonly totals: Totals
}

const NOTHING: Totals = {}

/** How much counters of errors have grown lately. A process that starts again counts from zero. */
export class ErrorGrowth {
  readonly #windowMs: number
  readonly #byProcess = new Map<string, Observed[]>()
  #beganAtMs: number | undefined

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** To be called regularly, a few times in each window. */
  observe(heartbeats: readonly Heartbeat[], nowMs: number): void {
    this.#beganAtMs ??= nowMs
    const fromMs = nowMs - this.#windowMs
    for (const heartbeat of heartbeats) {
      const known = this.#byProcess.get(heartbeat.process)
      const isNew = known === undefined && heartbeat.startedAtMs > this.#beganAtMs
      const before = known ?? (isNew ? [{ atMs: heartbeat.startedAtMs, totals: NOTHING }] : [])
      this.#byProcess.set(heartbeat.process, [...before, { atMs: nowMs, totals: errorTotals([heartbeat]) }])
    }
    for (const [process, observed] of this.#byProcess) {
      const recent = observed.filter(({ atMs }) => atMs >= fromMs)
      if (recent.length === 0) this.#byProcess.delete(process)
      else this.#byProcess.set(process, recent)
    }
  }

  /** From when on growth is known; undefined before the first observation. */
  sinceMs(nowMs: number): number | undefined {
    return this.#beganAtMs === undefined ? undefined : Math.max(this.#beganAtMs, nowMs - this.#windowMs)
  }

  /** The most growth first. */
  grown(): GrownCounter[] {
    const sums = new Map<string, GrownCounter>()
    for (const observed of this.#byProcess.values()) {
      const [first, last] = [observed[0]?.totals ?? NOTHING, observed.at(-1)?.totals ?? NOTHING]
      for (const [name, readings] of Object.entries(last)) {
        for (const [of, value] of Object.entries(readings)) {
          const key = `${name} ${of}`
          const grownBy = (sums.get(key)?.grownBy ?? 0) + value - (first[name]?.[of] ?? 0)
          sums.set(key, { name, of, grownBy })
        }
      }
    }
    return [...sums.values()]
      .filter(({ grownBy }) => grownBy > 0)
      .sort((one, other) => other.grownBy - one.grownBy || (one.name < other.name ? -1 : 1))
  }
}
