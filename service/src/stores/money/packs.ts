import { sql } from 'kysely'
import { PACKS } from '../../domain/packs.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Writes what is sold to PostgreSQL, which takes the prices of invoices from there. */
export async function publishPacks(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE packs`.execute(transaction)
    await sql`DELETE FROM packs`.execute(transaction)
    await sql`
      INSERT INTO packs
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(PACKS)}::jsonb)
        AS sold (id text, "priceUsd" numeric, credits bigint, tier text, months integer)
    `.execute(transaction)
  })
}
