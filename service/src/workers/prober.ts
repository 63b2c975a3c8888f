import { setTimeout as sleep } from 'node:timers/promises'
import { wallClock } from '../domain/clock.ts'
import { PROBE_EVERY_MS, PROBED_SERVICES, type ProbeResult, probeSlotOf } from '../domain/probe.ts'
import type { ProbeHours } from '../stores/platform/probe-hours.ts'
import type { ProbedStates } from './probe-api.ts'

export interface ProberClock {
  /** The wall clock, which somebody may set. */
  now(): number
  /** Milliseconds of a clock that nobody can set. */
  steady(): number
  /** May end early, as timers do; ends at once at the signal. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface ProberDeps {
  readonly probe: (signal: AbortSignal) => Promise<ProbedStates>
  readonly store: Pick<ProbeHours, 'clockMs' | 'record'>
  readonly onProbe?: (result: ProbeResult) => void
  readonly onWrongClock: (byMs: number) => void
  readonly onTrouble: (error: unknown) => void
  readonly clock?: ProberClock
}

interface TimedResult extends ProbeResult {
  readonly steadyMs: number
}

/** One day of probes; older ones that could not be stored are lost, and count as missing. */
const MOST_UNRECORDED = (86_400_000 / PROBE_EVERY_MS) * PROBED_SERVICES.length
/** A clock that is further off would place probes in slots in which nobody probed. */
const CLOCK_MAY_DIFFER_MS = PROBE_EVERY_MS

const SYSTEM_CLOCK: ProberClock = {
  now: wallClock,
  steady: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
}

/** Probes the service in every probe slot and stores the results. Several probers may run at once. */
export class Prober {
  readonly #deps: ProberDeps
  readonly #clock: ProberClock
  /** Kept until PostgreSQL accepts them, because probes must also record an outage of PostgreSQL. */
  #unrecorded: TimedResult[] = []
  #writing: Promise<void> | undefined

  constructor(deps: ProberDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? SYSTEM_CLOCK
  }

  /** One probe in each slot until the signal, also while the store is unavailable. */
  async run(signal: AbortSignal): Promise<void> {
    let slotMs = probeSlotOf(this.#clock.now())
    while (!signal.aborted) {
      await this.probe(slotMs, signal)
      this.#writing ??= this.write().finally(() => {
        this.#writing = undefined
      })
      slotMs = await this.#untilSlotAfter(slotMs, signal)
    }
    await this.#writing
  }

  /**
   * Probes once for the slot. The slot is given, not read from the clock: a timer that ends a moment early would
   * probe the previous slot again and leave out this one.
   */
  async probe(slotMs: number, signal: AbortSignal): Promise<void> {
    const steadyMs = this.#clock.steady() - (this.#clock.now() - slotMs)
    const states = await this.#deps.probe(signal)
    // An aborted probe fails, which says nothing about the service.
    if (signal.aborted) return
    const results = PROBED_SERVICES.flatMap((service) => {
      const state = states[service]
      return state === undefined ? [] : [{ service, atMs: slotMs, state, steadyMs }]
    })
    for (const result of results) this.#deps.onProbe?.(result)
    this.#unrecorded = [...this.#unrecorded, ...results].slice(-MOST_UNRECORDED)
  }

  /** Stores the pending probes. Never throws: it is tried again in the next slot. */
  async write(): Promise<void> {
    const { store, onWrongClock, onTrouble } = this.#deps
    try {
      const aheadMs = this.#clock.now() - (await store.clockMs())
      if (Math.abs(aheadMs) > CLOCK_MAY_DIFFER_MS) return onWrongClock(aheadMs)
      const results = this.#unrecorded
      await store.record(
        results.filter((result) => this.#wasTimedBy(result)),
        this.#clock.now(),
      )
      const written = new Set(results)
      this.#unrecorded = this.#unrecorded.filter((result) => !written.has(result))
    } catch (error) {
      onTrouble(error)
    }
  }

  /** False when the clock was set since the probe, so that its slot is wrong. */
  #wasTimedBy({ atMs, steadyMs }: TimedResult): boolean {
    const byWallMs = this.#clock.now() - atMs
    const bySteadyMs = this.#clock.steady() - steadyMs
    return Math.abs(byWallMs - bySteadyMs) <= CLOCK_MAY_DIFFER_MS
  }

  /** Waits for the next slot and returns it; after a step of the clock or a long probe, the present one. */
  async #untilSlotAfter(slotMs: number, signal: AbortSignal): Promise<number> {
    const nextMs = slotMs + PROBE_EVERY_MS
    while (!signal.aborted) {
      const nowMs = this.#clock.now()
      const wasSetBack = nowMs < slotMs
      if (nowMs >= nextMs || wasSetBack) return probeSlotOf(nowMs)
      await this.#clock.sleep(nextMs - nowMs, signal)
    }
    return nextMs
  }
}
