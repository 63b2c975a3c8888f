import { sql } from 'kysely'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { Database } from '../engines/postgres-database.ts'
import type { HourChanges } from './replace-hour.ts'

/** A market and the start of an hour. */
export interface CorrectedHour {
  readonly marketId: string
  readonly hourMs: number
}

export interface Correction extends CorrectedHour {
  readonly id: number
  readonly revision: number
  readonly reason: string
  readonly changes: HourChanges
  readonly correctedAtMs: number
}

export interface Revision {
  /** 1 until the hour is corrected. */
  readonly revision: number
  /** Undefined for the first revision. */
  readonly correctedAtMs: number | undefined
  /** Its rows are being replaced now. */
  readonly isBeingCorrected: boolean
}

/** Of all hours that a range touches. */
export type RangeRevision = Omit<Revision, 'correctedAtMs'>

export interface CorrectionPage {
  readonly marketId?: string | undefined
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Only entries before this one. */
  readonly before?: { readonly correctedAtMs: number; readonly id: number } | undefined
  readonly limit: number
}

/** Any number that nothing else locks. */
const LOCK = 5_826_001

/** Revisions of hours whose rows were produced again. */
export class Corrections {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async revisionOf({ marketId, hourMs }: CorrectedHour): Promise<Revision> {
    const rows = await this.#database
      .selectFrom('corrections')
      .select(['revision', 'corrected_at'])
      .where('market_id', '=', marketId)
      .where('hour_at', '=', new Date(hourMs))
      .orderBy('revision', 'desc')
      .limit(2)
      .execute()
    const newest = rows.find(({ corrected_at }) => corrected_at !== null)
    return {
      revision: newest?.revision ?? 1,
      correctedAtMs: newest?.corrected_at?.getTime(),
      isBeingCorrected: rows.some(({ corrected_at }) => corrected_at === null),
    }
  }

  /** Grows with every correction of an hour that the range touches. */
  async revisionIn({ marketId, fromMs, toMs }: { readonly marketId: string } & TimeRange): Promise<RangeRevision> {
    const { finished, unfinished } = await this.#database
      .selectFrom('corrections')
      .select((query) => [
        query.fn.count<string>('corrected_at').as('finished'),
        sql<string>`count(*) - count(corrected_at)`.as('unfinished'),
      ])
      .where('market_id', '=', marketId)
      .where('hour_at', '>', new Date(fromMs - HOUR_MS))
      .where('hour_at', '<', new Date(toMs))
      .executeTakeFirstOrThrow()
    return { revision: 1 + Number(finished), isBeingCorrected: Number(unfinished) > 0 }
  }

  /** Another text after every beginning and every end of a correction. */
  async state(): Promise<string> {
    const { rows } = await sql<{ state: string }>`
      SELECT concat((SELECT max(id) FROM corrections), ':',
        (SELECT string_agg(id::text, ',' ORDER BY id) FROM corrections WHERE corrected_at IS NULL)) AS state
    `.execute(this.#database)
    return rows[0]?.state ?? ''
  }

  /** Runs `work` while no other process corrects hours; undefined when one does. */
  async alone<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result } | undefined> {
    return this.#database.connection().execute(async (connection) => {
      const { rows } = await sql<{ held: boolean }>`SELECT pg_try_advisory_lock(${LOCK}) AS held`.execute(connection)
      if (rows[0]?.held !== true) return undefined
      try {
        return { result: await work() }
      } finally {
        await sql`SELECT pg_advisory_unlock(${LOCK})`.execute(connection)
      }
    })
  }

  /** Call it before rows are replaced. A correction that was not finished is continued under the same revision. */
  async begin({ marketId, hourMs }: CorrectedHour, reason: string, changes: HourChanges): Promise<number> {
    const hourAt = new Date(hourMs)
    const counts = {
      rows_changed: changes.snapshots,
      gaps_changed: changes.gaps,
      trades_changed: changes.trades,
      reason,
    }
    const continued = await this.#database
      .updateTable('corrections')
      .set(counts)
      .where('market_id', '=', marketId)
      .where('hour_at', '=', hourAt)
      .where('corrected_at', 'is', null)
      .returning('revision')
      .executeTakeFirst()
    if (continued !== undefined) return continued.revision
    const { revision } = await this.#database
      .insertInto('corrections')
      .values((query) => ({
        market_id: marketId,
        hour_at: hourAt,
        revision: query
          .selectFrom('corrections')
          .select(sql<number>`coalesce(max(revision), 1) + 1`.as('next'))
          .where('market_id', '=', marketId)
          .where('hour_at', '=', hourAt),
        ...counts,
      }))
      .returning('revision')
      .executeTakeFirstOrThrow()
    return revision
  }

  /** The rows are replaced: from now on the new revision is served. */
  async finish({ marketId, hourMs }: CorrectedHour, revision: number): Promise<void> {
    await this.#database
      .updateTable('corrections')
      .set({ corrected_at: sql<Date>`now()` })
      .where('market_id', '=', marketId)
      .where('hour_at', '=', new Date(hourMs))
      .where('revision', '=', revision)
      .execute()
  }

  /** Newest first. */
  async list({ marketId, fromMs, toMs, before, limit }: CorrectionPage): Promise<Correction[]> {
    const millis = sql<Date>`date_trunc('milliseconds', corrected_at)`
    let query = this.#database
      .selectFrom('corrections')
      .selectAll()
      .where('corrected_at', 'is not', null)
      .orderBy(millis, 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    if (marketId !== undefined) query = query.where('market_id', '=', marketId)
    if (fromMs !== undefined) query = query.where('corrected_at', '>=', new Date(fromMs))
    if (toMs !== undefined) query = query.where('corrected_at', '<', new Date(toMs))
    if (before !== undefined)
      query = query.where(sql<boolean>`(${millis}, id) < (${new Date(before.correctedAtMs)}, ${before.id})`)
    return (await query.execute()).map((row) => ({
      id: Number(row.id),
      marketId: row.market_id,
      hourMs: row.hour_at.getTime(),
      revision: row.revision,
      reason: row.reason,
      changes: { snapshots: row.rows_changed, gaps: row.gaps_changed, trades: row.trades_changed },
      correctedAtMs: row.corrected_at?.getTime() ?? 0,
    }))
  }
}
