import { setTimeout as sleep } from 'node:timers/promises'
import { PROBE_EVERY_MS, PROBED_SERVICES } from '../domain/uptime.ts'
import type { Incidents } from '../stores/platform/incidents.ts'
import type { ProbeResult, Uptime } from '../stores/platform/uptime.ts'
import type { Sight } from './probe-api.ts'

export interface ProberDeps {
  readonly look: (signal: AbortSignal) => Promise<Sight>
  readonly uptime: Pick<Uptime, 'record' | 'rollUp'>
  readonly incidents: Pick<Incidents, 'judge'>
  readonly onProbe?: (result: ProbeResult) => void
  readonly onTrouble: (error: unknown) => void
}

const DAY_MS = 86_400_000
/** A day is summed up when the probes of whoever was held up have come in too. */
const SETTLED_AFTER_MS = 600_000
/** A day of probes: what can't be written for longer is lost, and counts as missing. */
const MOST_UNWRITTEN = (DAY_MS / PROBE_EVERY_MS) * PROBED_SERVICES.length

/** Looks at the service all the time and remembers what it saw. Several at once are harmless. */
export class Prober {
  readonly #deps: ProberDeps
  /** Probes also tell of a PostgreSQL that is away, so they must outlast it. */
  #unwritten: ProbeResult[] = []
  #summedUpDay: number | undefined
  #writing: Promise<void> | undefined

  constructor(deps: ProberDeps) {
    this.#deps = deps
  }

  /** One probe in each slot, whatever the store does, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const nowMs = Date.now()
      await this.look(nowMs, signal)
      this.#writing ??= this.write(nowMs).finally(() => {
        this.#writing = undefined
      })
      const waitMs = PROBE_EVERY_MS - (Date.now() % PROBE_EVERY_MS)
      await sleep(waitMs, undefined, { signal }).catch(() => {})
    }
    await this.#writing
  }

  async look(atMs: number, signal: AbortSignal): Promise<void> {
    const sight = await this.#deps.look(signal)
    // Whoever is told to end sees nothing any more, which says nothing of the service.
    if (signal.aborted) return
    const results = PROBED_SERVICES.flatMap((service) => {
      const state = sight[service]
      return state === undefined ? [] : [{ service, atMs, state }]
    })
    for (const result of results) this.#deps.onProbe?.(result)
    this.#unwritten = [...this.#unwritten, ...results].slice(-MOST_UNWRITTEN)
  }

  /** Everything that was seen and not written yet, and what follows from it. Never throws: it is tried again. */
  async write(nowMs: number): Promise<void> {
    const { uptime, incidents, onTrouble } = this.#deps
    const results = this.#unwritten
    try {
      await uptime.record(results)
      const written = new Set(results)
      this.#unwritten = this.#unwritten.filter((result) => !written.has(result))
      await incidents.judge(nowMs)
      const day = Math.floor((nowMs - SETTLED_AFTER_MS) / DAY_MS)
      if (day === this.#summedUpDay) return
      await uptime.rollUp(nowMs - SETTLED_AFTER_MS)
      this.#summedUpDay = day
    } catch (error) {
      onTrouble(error)
    }
  }
}
