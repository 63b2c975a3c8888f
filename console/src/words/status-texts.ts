import type { Status } from '@bookreel/sdk'
import { durationText, numberText, percentText } from './formats.ts'

type Service = Status['services'][number]
type Day = Service['days'][number]

interface ServiceWords {
  readonly name: string
  /** What a probe of it checks, and what users miss while it fails. */
  readonly failing: string
}

const SERVICES: Readonly<Record<Service['service'], ServiceWords>> = {
  api: { name: 'API', failing: 'The API did not answer, or a simple request failed.' },
  analytics_store: { name: 'History', failing: 'The store of recorded books did not answer.' },
  cache: { name: 'Live books', failing: 'The store of the newest books did not answer.' },
  pipeline: { name: 'Recording', failing: 'No new rows arrived, or a part of the recording was missing.' },
  websocket: { name: 'Streams', failing: 'No process served streams.' },
  accounts: { name: 'Accounts', failing: 'The store of accounts, keys and credits did not answer.' },
}

/** Services of a newer API are shown by their code. */
export function serviceWords(service: string): ServiceWords {
  const known = Object.hasOwn(SERVICES, service) ? SERVICES[service as Service['service']] : undefined
  return known ?? { name: service, failing: 'Its probes failed.' }
}

export const OVERALL: Readonly<Record<Status['status'], { readonly word: string; readonly sentence: string }>> = {
  ok: { word: 'Working', sentence: 'All parts work now.' },
  degraded: { word: 'Degraded', sentence: 'A part does not work as it should; the others do.' },
  down: { word: 'Down', sentence: 'Neither live books nor history can be served now.' },
}

export const STATE_WORDS: Readonly<Record<Service['status'], string>> = {
  ok: 'working',
  degraded: 'degraded',
  down: 'down',
  off: 'not installed',
}

/** One sentence for a day of a service. */
export function dayWords({ uptime, probes, failed_probes, missing_probes, incidents }: Day): string {
  if (uptime === null) return 'no data: nothing was measured'
  const failed =
    failed_probes === 0 ? 'no probe failed' : `${numberText(failed_probes)} of ${numberText(probes)} probes failed`
  const parts = [percentText(uptime), failed]
  if (missing_probes > 0) parts.push(`${numberText(missing_probes)} probes were not made`)
  if (incidents > 0) parts.push(incidents === 1 ? '1 incident' : `${numberText(incidents)} incidents`)
  return parts.join(' · ')
}

/** How long an incident lasted or lasts. */
export function incidentLength(startedAt: string, endedAt: string | null, nowMs: number): string {
  const ms = (endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt)
  return durationText(ms)
}
