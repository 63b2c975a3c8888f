import { sql } from 'kysely'
import type { ServiceState } from '../../domain/health.ts'
import { type DayUptime, PROBE_EVERY_MS, type ProbedService, UPTIME_DAYS, uptimeDays } from '../../domain/uptime.ts'
import type { Database } from '../engines/postgres-database.ts'

export interface ProbeResult {
  readonly service: ProbedService
  readonly atMs: number
  readonly state: Exclude<ServiceState, 'off'>
}

interface CountedDay {
  readonly service: string
  readonly day: string
  readonly expected: number
  readonly up: number
  readonly incidents: number
}

const DAY_MS = 86_400_000
/** Probes stay some days after their day was summed up, so that an operator can look at them. */
const PROBES_KEPT_DAYS = 8
/** A probe may arrive this late before it counts as missing. */
const GRACE_MS = PROBE_EVERY_MS

/** Probe results and the uptime per day. */
export class Uptime {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Idempotent and independent of order; of two results for one slot the better one counts. */
  async record(results: readonly ProbeResult[]): Promise<void> {
    const found = JSON.stringify(
      results.map(({ service, atMs, state }) => ({ service, slot_at: slotText(atMs), state })),
    )
    await this.#database.transaction().execute(async (transaction) => {
      await sql`
        INSERT INTO probed_services (service, first_at)
        SELECT service, min(slot_at) FROM jsonb_to_recordset(${found}::jsonb) AS found (service text, slot_at timestamptz)
        GROUP BY service
        ON CONFLICT (service) DO UPDATE SET first_at = least(probed_services.first_at, excluded.first_at)
      `.execute(transaction)
      await sql`
        INSERT INTO probes (service, slot_at, state)
        SELECT service, slot_at, (ARRAY['ok', 'degraded', 'down'])[min(array_position(ARRAY['ok', 'degraded', 'down'], state))]
        FROM jsonb_to_recordset(${found}::jsonb) AS found (service text, slot_at timestamptz, state text)
        GROUP BY service, slot_at
        ON CONFLICT (service, slot_at) DO UPDATE
          SET state = CASE WHEN 'ok' IN (probes.state, excluded.state) THEN 'ok'
            WHEN 'degraded' IN (probes.state, excluded.state) THEN 'degraded' ELSE 'down' END
      `.execute(transaction)
    })
  }

  /** Sums up every finished day and deletes old probes. Idempotent. */
  async rollUp(nowMs: number): Promise<void> {
    const today = startOfDay(nowMs)
    const oldestMs = today - (UPTIME_DAYS - 1) * DAY_MS
    await this.#database.transaction().execute(async (transaction) => {
      // Without the lock, one process could delete probes that another has not summed up yet.
      await sql`SELECT pg_advisory_xact_lock(hashtext('uptime_days'))`.execute(transaction)
      const counted = await count(transaction, oldestMs, today)
      for (const { service, day, expected, up, incidents } of counted) {
        await sql`
          INSERT INTO uptime_days (service, day, expected, up, incidents)
          VALUES (${service}, ${day}::date, ${expected}, ${up}, ${incidents})
          ON CONFLICT (service, day) DO UPDATE
            SET expected = excluded.expected, up = excluded.up, incidents = excluded.incidents
        `.execute(transaction)
      }
      const deleteBeforeMs = today - PROBES_KEPT_DAYS * DAY_MS
      await sql`UPDATE probed_services SET counted_until = ${dateText(today)}::date`.execute(transaction)
      await sql`DELETE FROM probes WHERE slot_at < ${new Date(deleteBeforeMs)}`.execute(transaction)
    })
  }

  /** The last 90 days including today, oldest first, for each service that was ever probed. */
  async days(nowMs: number): Promise<Map<string, DayUptime[]>> {
    const today = startOfDay(nowMs)
    const oldestMs = today - (UPTIME_DAYS - 1) * DAY_MS
    const untilMs = Math.floor((nowMs - GRACE_MS) / PROBE_EVERY_MS) * PROBE_EVERY_MS
    const [first, summed, counted] = await Promise.all([
      this.#firstProbes(),
      sql<CountedDay>`
        SELECT service, to_char(day, 'YYYY-MM-DD') AS day, expected, up, incidents FROM uptime_days
        WHERE day >= ${dateText(oldestMs)}::date
      `.execute(this.#database),
      count(this.#database, oldestMs, untilMs),
    ])
    const byService = Map.groupBy([...summed.rows, ...counted], ({ service }) => service)
    return new Map(
      [...first].map(([service, firstMs]) => [service, uptimeDays(byService.get(service) ?? [], { firstMs, nowMs })]),
    )
  }

  async #firstProbes(): Promise<Map<string, number>> {
    const { rows } = await sql<{ service: string; first: Date }>`
      SELECT service, first_at AS first FROM probed_services ORDER BY service
    `.execute(this.#database)
    return new Map(rows.map(({ service, first }) => [service, first.getTime()]))
  }
}

/**
 * Counts the days that are not summed up yet. Every slot since the first probe of a service is expected; a slot
 * without a successful probe counts as down. An incident is a run of such slots between successful probes, or between
 * one and the start or end of the day.
 */
async function count(database: Database, fromMs: number, toMs: number): Promise<CountedDay[]> {
  const every = sql`${`${PROBE_EVERY_MS} milliseconds`}::interval`
  const until = sql`${new Date(toMs)}::timestamptz`
  const { rows } = await sql<CountedDay>`
    WITH spans AS (
      SELECT service, greatest(first_at, ${new Date(fromMs)}::timestamptz, counted_until::timestamp AT TIME ZONE 'UTC') AS since
      FROM probed_services
    ), days AS (
      SELECT service, day::date AS day, greatest(since, day AT TIME ZONE 'UTC') AS since,
        least(${until}, (day + interval '1 day') AT TIME ZONE 'UTC') AS until
      FROM spans, generate_series(
        date_trunc('day', since AT TIME ZONE 'UTC'), ${until} AT TIME ZONE 'UTC', interval '1 day'
      ) AS day
    ), good AS (
      SELECT days.service, day, probes.slot_at, days.until,
        lag(probes.slot_at, 1, days.since - ${every}) OVER ordered AS previous,
        lead(probes.slot_at) OVER ordered IS NULL AS is_last
      FROM days JOIN probes ON probes.service = days.service
        AND probes.slot_at >= days.since AND probes.slot_at < days.until AND probes.state <> 'down'
      WINDOW ordered AS (PARTITION BY days.service, day ORDER BY probes.slot_at)
    ), holes AS (
      SELECT service, day, count(*)::int AS up, (
        count(*) FILTER (WHERE slot_at > previous + ${every}) + count(*) FILTER (WHERE is_last AND slot_at + ${every} < until)
      )::int AS incidents
      FROM good GROUP BY service, day
    )
    SELECT days.service, to_char(days.day, 'YYYY-MM-DD') AS day, expected, coalesce(up, 0) AS up, coalesce(incidents, 1) AS incidents
    FROM days CROSS JOIN LATERAL (
      SELECT floor(extract(epoch FROM until - since) * 1000 / ${PROBE_EVERY_MS})::int AS expected
    ) AS slots LEFT JOIN holes ON holes.service = days.service AND holes.day = days.day
    WHERE expected > 0
  `.execute(database)
  return rows
}

function slotText(ms: number): string {
  return new Date(Math.floor(ms / PROBE_EVERY_MS) * PROBE_EVERY_MS).toISOString()
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
