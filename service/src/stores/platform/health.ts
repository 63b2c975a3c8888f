import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, wallClock } from '../../domain/clock.ts'
import { type OverallState, overallState, SERVICES, type ServiceName, type ServiceState } from '../../domain/health.ts'

/** Returns the state of a service; an error means `down`. It should stop when the signal aborts. */
export type Probe = (signal: AbortSignal) => Promise<ServiceState>

export interface HealthReport {
  readonly status: OverallState
  readonly services: Readonly<Record<ServiceName, ServiceState>>
}

const PROBE_EVERY_MS = 1_000
const PROBE_TIMEOUT_MS = 1_000
/** A service without a newer result counts as down. */
const RESULT_VALID_MS = 4_000

/** Probes the services in the background, so that health requests do not wait for them. */
export class Health {
  readonly #probes: Readonly<Record<ServiceName, Probe>>
  readonly #nowMs: Clock
  readonly #found = new Map<ServiceName, { readonly state: ServiceState; readonly atMs: number }>()

  constructor(probes: Readonly<Record<ServiceName, Probe>>, nowMs: Clock = wallClock) {
    this.#probes = probes
    this.#nowMs = nowMs
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(SERVICES.map((name) => this.#watch(name, signal)))
  }

  read(nowMs: number): HealthReport {
    const services = Object.fromEntries(SERVICES.map((name) => [name, this.#stateOf(name, nowMs)])) as Record<
      ServiceName,
      ServiceState
    >
    return { status: overallState(services), services }
  }

  #stateOf(name: ServiceName, nowMs: number): ServiceState {
    const found = this.#found.get(name)
    return found === undefined || nowMs - found.atMs > RESULT_VALID_MS ? 'down' : found.state
  }

  async #watch(name: ServiceName, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const state = await withTimeout(this.#probes[name], signal)
      this.#found.set(name, { state, atMs: this.#nowMs() })
      await sleep(PROBE_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/** Does not wait for a hanging probe, even if it ignores its signal. */
async function withTimeout(probe: Probe, signal: AbortSignal): Promise<ServiceState> {
  const done = new AbortController()
  const stop = AbortSignal.any([done.signal, signal])
  const late = sleep(PROBE_TIMEOUT_MS, 'down' as const, { signal: stop }).catch(() => 'down' as const)
  const answer = probe(stop).catch(() => 'down' as const)
  return Promise.race([answer, late]).finally(() => done.abort())
}
