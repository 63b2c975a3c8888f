import { sql } from 'kysely'
import { type ProbeResult, probeHourOf, withResult } from '../../domain/probe.ts'
import { type ServiceUptime, UPTIME_DAYS, uptimeOf } from '../../domain/uptime.ts'
import type { Database } from '../engines/postgres-database.ts'

interface HourRow {
  service: string
  hour_at: Date
  letters: string
}

const DAY_MS = 86_400_000

/** The stored probes: one row for each service and hour, with one letter for each probe slot. */
export class ProbeHours {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The time by the clock of PostgreSQL. */
  async clockMs(): Promise<number> {
    const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(this.#database)
    return rows[0]?.now.getTime() ?? Number.NaN
  }

  /**
   * Idempotent and independent of order. Probes of a service are stored from its first successful one on, so that a
   * service that is still being installed is not down.
   */
  async record(results: readonly ProbeResult[], nowMs: number): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      // Two probers that change the same hour at once would lose a result.
      await sql`SELECT pg_advisory_xact_lock(hashtext('probe_hours'))`.execute(transaction)
      const known = await knownServices(transaction)
      const stored = results.filter(({ service, state }) => {
        if (state !== 'down') known.add(service)
        return known.has(service)
      })
      for (const rows of Map.groupBy(stored, hourKey).values()) await saveHour(transaction, rows)
      const oldest = new Date(probeHourOf(nowMs) - (UPTIME_DAYS + 1) * DAY_MS)
      await sql`DELETE FROM probe_hours WHERE hour_at < ${oldest}`.execute(transaction)
    })
  }

  /** Uptime and incidents of each service that was ever probed. */
  async uptime(nowMs: number): Promise<Map<string, ServiceUptime>> {
    const { rows } = await sql<{ service: string; hour_at: Date; letters: string | null }>`
      SELECT service, hour_at, CASE WHEN letters ~ '[-d]' THEN letters END AS letters FROM probe_hours
      WHERE hour_at <= ${new Date(nowMs)} ORDER BY hour_at
    `.execute(this.#database)
    const byService = Map.groupBy(rows, ({ service }) => service)
    return new Map(
      [...byService].map(([service, hours]) => [
        service,
        uptimeOf(
          hours.map(({ hour_at, letters }) => ({ hourMs: hour_at.getTime(), letters })),
          nowMs,
        ),
      ]),
    )
  }
}

function hourKey({ service, atMs }: ProbeResult): string {
  return `${service} ${probeHourOf(atMs)}`
}

async function knownServices(database: Database): Promise<Set<string>> {
  const { rows } = await sql<{ service: string }>`SELECT DISTINCT service FROM probe_hours`.execute(database)
  return new Set(rows.map(({ service }) => service))
}

/** All results are of the same service and hour. */
async function saveHour(database: Database, results: readonly ProbeResult[]): Promise<void> {
  const [first] = results
  if (first === undefined) return
  const { service } = first
  const hourAt = new Date(probeHourOf(first.atMs))
  const { rows } = await sql<HourRow>`
    SELECT letters FROM probe_hours WHERE hour_at = ${hourAt} AND service = ${service}
  `.execute(database)
  const letters = results.reduce<string | undefined>(withResult, rows[0]?.letters)
  await sql`
    INSERT INTO probe_hours (hour_at, service, letters) VALUES (${hourAt}, ${service}, ${letters})
    ON CONFLICT (hour_at, service) DO UPDATE SET letters = excluded.letters
  `.execute(database)
}
