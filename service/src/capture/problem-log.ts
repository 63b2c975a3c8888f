import type { Logger } from 'pino'

const EVERY_MS = 60_000
/** With one line a minute for each problem this is at most eight lines a second, whatever a venue sends. */
const MOST_PROBLEMS = 480
const OTHER = 'other problems'

interface Problem {
  loggedAtMs: number
  /** Occurrences since the last line. */
  unlogged: number
}

/** Logs a problem that may occur thousands of times a second: at once, then one line a minute with the count since. */
export class ProblemLog {
  readonly #log: Pick<Logger, 'warn'>
  readonly #nowMs: () => number
  readonly #problems = new Map<string, Problem>()
  #tidiedAtMs = Number.NEGATIVE_INFINITY

  constructor(log: Pick<Logger, 'warn'>, nowMs: () => number = () => performance.now()) {
    this.#log = log
    this.#nowMs = nowMs
  }

  /** `key` tells problems with the same message apart, such as the name of an unknown field; numbers in it do not. */
  warn(message: string, key: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const nowMs = this.#nowMs()
    const id = this.#idOf(`${message} ${key.replaceAll(/\d+/g, 'N')}`, nowMs)
    const problem = this.#problems.get(id) ?? { loggedAtMs: Number.NEGATIVE_INFINITY, unlogged: 0 }
    this.#problems.set(id, problem)
    problem.unlogged++
    if (nowMs - problem.loggedAtMs < EVERY_MS) return
    this.#log.warn({ ...fields, times: problem.unlogged }, id === OTHER ? OTHER : message)
    problem.loggedAtMs = nowMs
    problem.unlogged = 0
  }

  #idOf(id: string, nowMs: number): string {
    if (this.#problems.has(id)) return id
    if (this.#problems.size >= MOST_PROBLEMS) this.#tidy(nowMs)
    return this.#problems.size < MOST_PROBLEMS ? id : OTHER
  }

  /** Forgets problems that have ended; rarely, because a venue with ever new keys would cause it in every frame. */
  #tidy(nowMs: number): void {
    if (nowMs - this.#tidiedAtMs < EVERY_MS) return
    this.#tidiedAtMs = nowMs
    for (const [id, { loggedAtMs }] of this.#problems) if (nowMs - loggedAtMs >= EVERY_MS) this.#problems.delete(id)
  }
}
