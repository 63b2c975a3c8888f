import type { Config } from '../config.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'
import { ProbeHours } from '../stores/platform/probe-hours.ts'
import { probeApi } from '../workers/probe-api.ts'
import { Prober } from '../workers/prober.ts'
import { probeCounter } from '../workers/worker-metrics.ts'
import type { Role } from './role.ts'

const POSTGRES_ANSWERS_WITHIN_MS = 5_000

/** API → PostgreSQL: availability as users see it. */
export const proberRole: Role = async ({ config, log, registry }, signal) => {
  const url = probedAddress(config)
  const probes = probeCounter(registry)
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'writing probes failed')
  const database = openDatabase({ url: config.DATABASE_URL, answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS, onTrouble })
  try {
    const prober = new Prober({
      probe: (each) => probeApi(url, each),
      store: new ProbeHours(database),
      onProbe: ({ service, state }) => probes.inc({ service, state }),
      onWrongClock: (aheadMs) => log.warn({ aheadMs }, 'clock differs from PostgreSQL, probes are not stored'),
      onTrouble,
    })
    log.info({ url }, 'probing the API')
    await prober.run(signal)
  } finally {
    await database.destroy()
  }
}

function probedAddress({ PROBE_URL, HTTP_PORT }: Config): string {
  if (PROBE_URL !== undefined) return PROBE_URL
  if (HTTP_PORT === 0)
    throw new Error('PROBE_URL must be set when HTTP_PORT is 0, because the port of the API is not known')
  return `http://127.0.0.1:${HTTP_PORT}`
}
