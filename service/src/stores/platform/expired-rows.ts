import { sql } from 'kysely'
import { POSTGRES_RETENTION, type RetentionDays } from '../../domain/retention.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Deletes the rows that PostgreSQL no longer keeps; returns how many. A setting without a value or with 0 deletes nothing. */
export async function deleteExpiredRows(database: Database, days: RetentionDays, nowMs: number): Promise<number> {
  let deleted = 0
  for (const [table, kept] of Object.entries(POSTGRES_RETENTION)) {
    const count = kept.by === 'setting' ? (days[kept.setting] ?? 0) : 0
    if (kept.by !== 'setting' || count === 0) continue
    const before = new Date(nowMs - count * 86_400_000)
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM ${sql.table(table)} WHERE ${sql.ref(kept.since)} < ${before}
    `.execute(database)
    deleted += Number(numAffectedRows)
  }
  return deleted
}
