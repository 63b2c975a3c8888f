import { sql } from 'kysely'
import type { CoverageSum } from '../../domain/coverage-sums.ts'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { Database } from '../engines/postgres-database.ts'

export interface CountedDay {
  readonly dayMs: number
  /** End of the last finished hour that is counted. */
  readonly countedToMs: number
  readonly countedAtMs: number
  readonly sums: readonly CoverageSum[]
}

export interface CoverageFilter extends TimeRange {
  readonly part: CoverageSum['part']
  readonly venue?: string | undefined
  readonly category?: string | undefined
}

const DAY_MS = 24 * HOUR_MS
/** Rows may be stored up to a day late, so a day is counted once more then. */
const FINAL_AFTER = sql`interval '49 hours'`

/** How complete all markets were, counted day by day by the role `catalogue`. */
export class CoverageCounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Days to count, newest first: not counted to the end of their finished hours, counted too early, or corrected since. */
  async dueDays({ fromMs, finishedToMs, nowMs }: DueDays): Promise<number[]> {
    const { rows } = await sql<{ day_at: Date }>`
      WITH corrected AS (
        SELECT date_trunc('day', hour_at, 'UTC') AS day_at, max(corrected_at) AS corrected_at
        FROM corrections WHERE hour_at >= ${new Date(fromMs)} GROUP BY 1
      )
      SELECT days.day_at
      FROM generate_series(${new Date(fromMs)}::timestamptz, ${new Date(finishedToMs - 1)}, interval '24 hours') AS days (day_at)
        LEFT JOIN counted_days AS counted USING (day_at)
        LEFT JOIN corrected USING (day_at)
      WHERE counted.day_at IS NULL
        OR counted.counted_to < least(days.day_at + interval '24 hours', ${new Date(finishedToMs)})
        OR (counted.counted_at < days.day_at + ${FINAL_AFTER} AND days.day_at + ${FINAL_AFTER} <= ${new Date(nowMs)})
        OR counted.counted_at <= corrected.corrected_at
      ORDER BY days.day_at DESC
    `.execute(this.#database)
    return rows.map(({ day_at }) => day_at.getTime())
  }

  /** Replaces what was counted of the day before. */
  async save({ dayMs, countedToMs, countedAtMs, sums }: CountedDay): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      const counted = { counted_to: new Date(countedToMs), counted_at: new Date(countedAtMs) }
      // Two processes that count the same day at once save it one after the other.
      await transaction
        .insertInto('counted_days')
        .values({ day_at: new Date(dayMs), ...counted })
        .onConflict((conflict) => conflict.column('day_at').doUpdateSet(counted))
        .execute()
      await transaction
        .deleteFrom('coverage_parts')
        .where('start_at', '>=', new Date(dayMs))
        .where('start_at', '<', new Date(dayMs + DAY_MS))
        .execute()
      if (sums.length === 0) return
      await transaction
        .insertInto('coverage_parts')
        .values(
          sums.map(({ startMs, marketCount, causes, worst, ...sum }) => ({
            ...sum,
            start_at: new Date(startMs),
            market_count: marketCount,
            causes: JSON.stringify(causes),
            worst: worst === undefined ? null : JSON.stringify(worst),
          })),
        )
        .execute()
    })
  }

  /** By time; one entry for each venue and category. */
  async list({ part, venue, category, fromMs, toMs }: CoverageFilter): Promise<CoverageSum[]> {
    let query = this.#database
      .selectFrom('coverage_parts')
      .select(['part', 'start_at', 'venue', 'category', 'market_count', 'expected', 'stored', 'suspect', 'causes'])
      // The lists of a year are megabytes, and only those of one day are shown.
      .$if(part === 'day' && toMs - fromMs === DAY_MS, (oneDay) => oneDay.select('worst'))
      .where('part', '=', part)
      .where('start_at', '>=', new Date(fromMs))
      .where('start_at', '<', new Date(toMs))
      .orderBy('start_at')
    if (venue !== undefined) query = query.where('venue', '=', venue)
    if (category !== undefined) query = query.where('category', '=', category)
    return (await query.execute()).map(({ start_at, market_count, expected, stored, suspect, worst, ...row }) => ({
      ...row,
      startMs: start_at.getTime(),
      marketCount: market_count,
      expected: Number(expected),
      stored: Number(stored),
      suspect: Number(suspect),
      worst: worst ?? undefined,
    }))
  }

  /** Days of the range that are counted, with the end of their counted hours. */
  async counted({ fromMs, toMs }: TimeRange): Promise<Map<number, number>> {
    const rows = await this.#database
      .selectFrom('counted_days')
      .select(['day_at', 'counted_to'])
      .where('day_at', '>', new Date(fromMs - DAY_MS))
      .where('day_at', '<', new Date(toMs))
      .orderBy('day_at')
      .execute()
    return new Map(rows.map(({ day_at, counted_to }) => [day_at.getTime(), counted_to.getTime()]))
  }
}

interface DueDays {
  /** Start of the oldest recorded day. */
  readonly fromMs: number
  /** End of the newest finished hour. */
  readonly finishedToMs: number
  readonly nowMs: number
}
