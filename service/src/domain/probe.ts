import { SERVICES, type ServiceState } from './health.ts'

/** The probed services: the API as a whole, and the services that its health endpoint reports. */
export const PROBED_SERVICES = ['api', ...SERVICES] as const
export type ProbedService = (typeof PROBED_SERVICES)[number]

/** Each service is probed once per slot; slots are aligned to the clock. */
export const PROBE_EVERY_MS = 10_000
export const PROBE_HOUR_MS = 3_600_000
export const PROBES_PER_HOUR = PROBE_HOUR_MS / PROBE_EVERY_MS

export interface ProbeResult {
  readonly service: ProbedService
  readonly atMs: number
  readonly state: Exclude<ServiceState, 'off'>
}

/** Results are stored as one letter for each slot of an hour; from the best to no data. */
const LETTERS = 'ogd-'
export const NO_PROBE = '-'
export const FAILED = 'd'
const LETTER_OF = { ok: 'o', degraded: 'g', down: FAILED } as const

/** The letters of an hour, with a result added. Of two results for one slot the better one counts. */
export function withResult(letters: string | undefined, { atMs, state }: ProbeResult): string {
  const known = letters ?? NO_PROBE.repeat(PROBES_PER_HOUR)
  const slot = Math.floor((atMs % PROBE_HOUR_MS) / PROBE_EVERY_MS)
  const letter = LETTER_OF[state]
  const isBetter = LETTERS.indexOf(letter) < LETTERS.indexOf(known.charAt(slot))
  return isBetter ? known.slice(0, slot) + letter + known.slice(slot + 1) : known
}

export function probeHourOf(ms: number): number {
  return Math.floor(ms / PROBE_HOUR_MS) * PROBE_HOUR_MS
}

export function probeSlotOf(ms: number): number {
  return Math.floor(ms / PROBE_EVERY_MS) * PROBE_EVERY_MS
}
