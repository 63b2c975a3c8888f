import { type Clock, wallClock } from '../domain/clock.ts'

/** The processes that are alive, with their roles. */
interface AliveProcesses {
  current(nowMs: number): readonly { readonly roles: readonly string[] }[]
}

/** Each of them counts the requests of its callers. */
const COUNTING_ROLES = ['api', 'gateway']

/** How many nodes share the limits of an account while Redis can't count for all of them. */
export class LiveNodes {
  readonly #configured: number
  readonly #nowMs: Clock
  #alive: AliveProcesses | undefined
  #lastKnown = 0

  constructor(configured: number, nowMs: Clock = wallClock) {
    this.#configured = configured
    this.#nowMs = nowMs
  }

  /** Counts the nodes by their heartbeats from now on. */
  follow(alive: AliveProcesses): void {
    this.#alive = alive
  }

  /** At least the configured number. Without heartbeats, the last number that was known. */
  count(): number {
    const roles = (this.#alive?.current(this.#nowMs()) ?? []).flatMap((each) => each.roles)
    const live = roles.filter((role) => COUNTING_ROLES.includes(role)).length
    if (live > 0) this.#lastKnown = live
    return Math.max(1, this.#configured, this.#lastKnown)
  }
}
