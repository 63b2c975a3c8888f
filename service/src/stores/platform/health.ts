import { setTimeout as sleep } from 'node:timers/promises'
import { type OverallState, overallState, SERVICES, type ServiceName, type ServiceState } from '../../domain/health.ts'

/** Says how a service is; a failure means that it is down. It should end when the signal does. */
export type Probe = (signal: AbortSignal) => Promise<ServiceState>

export interface HealthReport {
  readonly status: OverallState
  readonly services: Readonly<Record<ServiceName, ServiceState>>
}

const PROBE_EVERY_MS = 1_000
const ANSWERS_WITHIN_MS = 1_000
/** What was found longer ago is no longer known. */
const HOLDS_FOR_MS = 4_000

/** Looks after the services all the time, so that whoever asks how they are waits for none of them. */
export class Health {
  readonly #probes: Readonly<Record<ServiceName, Probe>>
  readonly #found = new Map<ServiceName, { readonly state: ServiceState; readonly atMs: number }>()

  constructor(probes: Readonly<Record<ServiceName, Probe>>) {
    this.#probes = probes
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
    return found === undefined || nowMs - found.atMs > HOLDS_FOR_MS ? 'down' : found.state
  }

  async #watch(name: ServiceName, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const state = await inTime(this.#probes[name], signal)
      this.#found.set(name, { state, atMs: Date.now() })
      await sleep(PROBE_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/** A probe that hangs is left behind, whether it minds its signal or not. */
async function inTime(probe: Probe, signal: AbortSignal): Promise<ServiceState> {
  const enough = new AbortController()
  const over = AbortSignal.any([enough.signal, signal])
  const late = sleep(ANSWERS_WITHIN_MS, 'down' as const, { signal: over }).catch(() => 'down' as const)
  const answer = probe(over).catch(() => 'down' as const)
  return Promise.race([answer, late]).finally(() => enough.abort())
}
