import { sql } from 'kysely'
import { type Incident, type IncidentWatch, judgeProbes } from '../../domain/incident.ts'
import { PROBE_EVERY_MS, UPTIME_DAYS } from '../../domain/uptime.ts'
import type { Database } from '../engines/postgres-database.ts'

export interface ServiceIncident extends Incident {
  readonly service: string
}

interface WatchedService {
  readonly service: string
  readonly watch: IncidentWatch
  readonly isUpAt: ReadonlyMap<number, boolean>
}

interface WatchRow {
  service: string
  next_at: Date
  turning_since: Date | null
  turning_was_seen: boolean
  started_at: Date | null
  was_seen_down: boolean | null
}

interface IncidentRow {
  service: string
  started_at: Date
  ended_at: Date | null
  was_seen_down: boolean
}

const DAY_MS = 86_400_000
const MAX_LISTED = 500
/** A probe may arrive this late before it counts as missing. */
const GRACE_MS = PROBE_EVERY_MS

/** Outages of services, derived from their probes. */
export class Incidents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores the incidents that started or ended up to the last finished slot. Concurrent calls run one after another. */
  async judge(nowMs: number): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      await sql`SELECT pg_advisory_xact_lock(hashtext('incidents'))`.execute(transaction)
      for (const { service, watch, isUpAt } of await watchedServices(transaction)) {
        const { watch: next, ended } = judgeProbes(watch, isUpAt, nowMs)
        for (const incident of withOpen(next, ended)) await save(transaction, { ...incident, service })
        await sql`
          UPDATE probed_services SET judged_until = ${new Date(next.nextSlotMs)},
            turning_since = ${next.turning === undefined ? null : new Date(next.turning.sinceMs)}::timestamptz,
            turning_was_seen = ${next.turning?.wasSeenDown ?? false}
          WHERE service = ${service}
        `.execute(transaction)
      }
    })
  }

  /**
   * Open incidents and those of the last 90 days, newest first. Probes that no prober has judged yet are judged here,
   * so that incidents are found even while no prober runs.
   */
  async list(nowMs: number): Promise<ServiceIncident[]> {
    const oldest = new Date(nowMs - UPTIME_DAYS * DAY_MS)
    // One snapshot: probes that a prober judges between the two queries would look like missing ones.
    const snapshot = this.#database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return snapshot.execute(async (transaction) => {
      const { rows } = await sql<IncidentRow>`
        SELECT service, started_at, ended_at, was_seen_down FROM incidents WHERE ended_at >= ${oldest}
        ORDER BY started_at DESC LIMIT ${MAX_LISTED}
      `.execute(transaction)
      const present = (await watchedServices(transaction)).flatMap(({ service, watch, isUpAt }) => {
        const { watch: next, ended } = judgeProbes(watch, isUpAt, nowMs - GRACE_MS)
        return withOpen(next, ended).map((incident) => ({ ...incident, service }))
      })
      return [...present, ...rows.map(incidentOf)].toSorted(newestFirst)
    })
  }
}

function withOpen({ open }: IncidentWatch, ended: readonly Incident[]): Incident[] {
  return open === undefined ? [...ended] : [...ended, open]
}

/** Each service with the first slot that is not judged yet and the probes since then. */
async function watchedServices(database: Database): Promise<WatchedService[]> {
  const watches = await sql<WatchRow>`
    SELECT known.service, coalesce(judged_until, first_at) AS next_at, turning_since, turning_was_seen, started_at, was_seen_down
    FROM probed_services AS known
      LEFT JOIN incidents ON incidents.service = known.service AND incidents.ended_at IS NULL
    ORDER BY known.service
  `.execute(database)
  const probes = await sql<{ service: string; slot_at: Date; is_up: boolean }>`
    SELECT service, slot_at, state <> 'down' AS is_up
    FROM probes JOIN probed_services AS known USING (service) WHERE slot_at >= coalesce(judged_until, first_at)
  `.execute(database)
  const byService = Map.groupBy(probes.rows, ({ service }) => service)
  return watches.rows.map((row) => ({
    service: row.service,
    watch: watchOf(row),
    isUpAt: new Map(byService.get(row.service)?.map(({ slot_at, is_up }) => [slot_at.getTime(), is_up])),
  }))
}

function watchOf({ next_at, turning_since, turning_was_seen, started_at, was_seen_down }: WatchRow): IncidentWatch {
  return {
    nextSlotMs: next_at.getTime(),
    ...(started_at && { open: { startedAtMs: started_at.getTime(), wasSeenDown: was_seen_down ?? false } }),
    ...(turning_since && { turning: { sinceMs: turning_since.getTime(), wasSeenDown: turning_was_seen } }),
  }
}

async function save(database: Database, { service, startedAtMs, endedAtMs, wasSeenDown }: ServiceIncident) {
  await sql`
    INSERT INTO incidents (service, started_at, ended_at, was_seen_down)
    VALUES (${service}, ${new Date(startedAtMs)}, ${endedAtMs === undefined ? null : new Date(endedAtMs)}::timestamptz, ${wasSeenDown})
    ON CONFLICT (service, started_at) DO UPDATE SET ended_at = excluded.ended_at, was_seen_down = excluded.was_seen_down
  `.execute(database)
}

function incidentOf({ service, started_at, ended_at, was_seen_down }: IncidentRow): ServiceIncident {
  return {
    service,
    startedAtMs: started_at.getTime(),
    ...(ended_at && { endedAtMs: ended_at.getTime() }),
    wasSeenDown: was_seen_down,
  }
}

function newestFirst(one: ServiceIncident, other: ServiceIncident): number {
  return other.startedAtMs - one.startedAtMs || one.service.localeCompare(other.service)
}
