import { setTimeout as sleep } from 'node:timers/promises'
import { PROBE_EVERY_MS, PROBED_SERVICES } from '../domain/uptime.ts'
import type { Incidents } from '../stores/platform/incidents.ts'
import type { ProbeResult, Uptime } from '../stores/platform/uptime.ts'
import type { ProbedStates } from './probe-api.ts'

export interface ProberDeps {
  readonly probe: (signal: AbortSignal) => Promise<ProbedStates>
  readonly uptime: Pick<Uptime, 'record' | 'rollUp'>
  readonly incidents: Pick<Incidents, 'judge'>
  readonly onProbe?: (result: ProbeResult) => void
  readonly onTrouble: (error: unknown) => void
}

const DAY_MS = 86_400_000
/** A day's uptime is rolled up this long after its end, when delayed probes are recorded too. */
const SETTLED_AFTER_MS = 600_000
/** One day of probes; older ones that could not be recorded are lost, and count as missing. */
const MOST_UNRECORDED = (DAY_MS / PROBE_EVERY_MS) * PROBED_SERVICES.length

/** Probes the service in every probe slot and records the results. Several probers may run at once. */
export class Prober {
  readonly #deps: ProberDeps
  /** Kept until PostgreSQL accepts them, because probes must also record an outage of PostgreSQL. */
  #unrecorded: ProbeResult[] = []
  #rolledUpDay: number | undefined
  #writing: Promise<void> | undefined

  constructor(deps: ProberDeps) {
    this.#deps = deps
  }

  /** One probe in each slot until the signal, also while the store is unavailable. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const nowMs = Date.now()
      await this.probe(nowMs, signal)
      this.#writing ??= this.write(nowMs).finally(() => {
        this.#writing = undefined
      })
      const waitMs = PROBE_EVERY_MS - (Date.now() % PROBE_EVERY_MS)
      await sleep(waitMs, undefined, { signal }).catch(() => {})
    }
    await this.#writing
  }

  async probe(atMs: number, signal: AbortSignal): Promise<void> {
    const states = await this.#deps.probe(signal)
    // An aborted probe fails, which says nothing about the service.
    if (signal.aborted) return
    const results = PROBED_SERVICES.flatMap((service) => {
      const state = states[service]
      return state === undefined ? [] : [{ service, atMs, state }]
    })
    for (const result of results) this.#deps.onProbe?.(result)
    this.#unrecorded = [...this.#unrecorded, ...results].slice(-MOST_UNRECORDED)
  }

  /** Records the pending probes, then updates incidents and daily uptime. Never throws: it is retried in the next slot. */
  async write(nowMs: number): Promise<void> {
    const { uptime, incidents, onTrouble } = this.#deps
    const results = this.#unrecorded
    try {
      await uptime.record(results)
      const written = new Set(results)
      this.#unrecorded = this.#unrecorded.filter((result) => !written.has(result))
      await incidents.judge(nowMs)
      const day = Math.floor((nowMs - SETTLED_AFTER_MS) / DAY_MS)
      if (day === this.#rolledUpDay) return
      await uptime.rollUp(nowMs - SETTLED_AFTER_MS)
      this.#rolledUpDay = day
    } catch (error) {
      onTrouble(error)
    }
  }
}
