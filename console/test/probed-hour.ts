import { PROBE_EVERY_MS, probeHourOf } from '@bookreel/service/domain/probe'
import { ProbeHours } from '@bookreel/service/stores/platform/probe-hours'
import type { TestService } from '@bookreel/testbed/service/test-service'

const DAY_MS = 86_400_000

/** An hour of probes of the API two days ago, four of which failed in a row; returns the start of that incident. */
export async function recordIncident({ access, nowMs }: TestService): Promise<string> {
  const hourMs = probeHourOf(nowMs() - 2 * DAY_MS)
  const results = Array.from({ length: 360 }, (_, slot) => ({
    service: 'api' as const,
    atMs: hourMs + slot * PROBE_EVERY_MS,
    state: slot >= 10 && slot < 14 ? ('down' as const) : ('ok' as const),
  }))
  await new ProbeHours(access.database).record(results, nowMs())
  return new Date(hourMs + 10 * PROBE_EVERY_MS).toISOString()
}
