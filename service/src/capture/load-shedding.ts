import { setTimeout as sleep } from 'node:timers/promises'
import type { CategoryPlan } from '../domain/plan.ts'

export interface LoadSheddingDeps {
  /** The most important one first; it is never shed. */
  plans: readonly CategoryPlan[]
  /** Share of the time since the last call in which this process was busy. */
  load: () => number
  /** A process that is busy for longer than this share of its time can't keep up for long. */
  shedAbove: number
  /** Default: `LOOK_EVERY_MS`. */
  lookEveryMs?: number
  /** These plans are not recorded for now. */
  onShed: (planIds: ReadonlySet<string>) => void
  /** What this process does only to be ready when another one ends. */
  standbyWork?: { readonly isDone: () => boolean; readonly drop: (isDropped: boolean) => void } | undefined
}

const LOOK_EVERY_MS = 1_000
/** A start, or a burst at the full hour, is over by then. */
const SHED_AFTER_S = 10
const BACK_AFTER_S = 30
const LONGEST_BACK_AFTER_S = 600
/** A plan that must be shed again within this time came back too early. */
const TOO_EARLY_S = 60
/** What one plan less leaves free must be more than what it costs when it comes back. */
const CALM_BELOW = 0.25

/**
 * Decides what is left out while this process has more work than time: first all standby work, then plans, the least
 * important one first. A plan comes back when the load was low for a while; if that was too early, the next time takes twice as long.
 */
export class LoadShedding {
  readonly #deps: LoadSheddingDeps
  #shed: readonly string[] = []
  #isStandbyWorkDropped = false
  #busyS = 0
  #calmS = 0
  #backAfterS = BACK_AFTER_S
  #sinceBackS = Number.POSITIVE_INFINITY

  constructor(deps: LoadSheddingDeps) {
    this.#deps = deps
  }

  isShed(planId: string): boolean {
    return this.#shed.includes(planId)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.look()
      await sleep(this.#deps.lookEveryMs ?? LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Called once a second. */
  look(): void {
    const { load, shedAbove, plans } = this.#deps
    const now = load()
    this.#sinceBackS++
    this.#busyS = now > shedAbove ? this.#busyS + 1 : 0
    this.#calmS = now < shedAbove - CALM_BELOW ? this.#calmS + 1 : 0
    if (this.#busyS >= SHED_AFTER_S) this.#shedMore(plans.length - 1)
    else if (this.#calmS >= this.#backAfterS) this.#takeBack()
  }

  #shedMore(most: number): void {
    if (this.#deps.standbyWork?.isDone()) this.#dropStandbyWork(true)
    else if (this.#shed.length < most) this.#shedOne()
  }

  #takeBack(): void {
    if (this.#shed.length > 0) this.#takeBackOne()
    else if (this.#isStandbyWorkDropped) this.#dropStandbyWork(false)
  }

  #dropStandbyWork(isDropped: boolean): void {
    this.#isStandbyWorkDropped = isDropped
    this.#busyS = 0
    this.#calmS = 0
    this.#deps.standbyWork?.drop(isDropped)
  }

  #shedOne(): void {
    const next = this.#deps.plans.at(-1 - this.#shed.length)
    if (next === undefined) return
    const cameBackTooEarly = this.#sinceBackS < TOO_EARLY_S
    this.#backAfterS = cameBackTooEarly ? Math.min(LONGEST_BACK_AFTER_S, 2 * this.#backAfterS) : BACK_AFTER_S
    this.#set([...this.#shed, next.id])
  }

  #takeBackOne(): void {
    this.#sinceBackS = 0
    this.#set(this.#shed.slice(0, -1))
  }

  #set(shed: readonly string[]): void {
    this.#shed = shed
    this.#busyS = 0
    this.#calmS = 0
    this.#deps.onShed(new Set(shed))
  }
}
