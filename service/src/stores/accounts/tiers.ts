import { sql } from 'kysely'
import { TIERS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Writes the tiers to PostgreSQL, lowest first. A removed tier stays, because accounts may still have it. */
export async function publishTiers(database: Database, tiers: readonly string[] = TIERS): Promise<void> {
  await sql`
    INSERT INTO tiers (tier, rank) SELECT tier, rank FROM unnest(${tiers}::text[]) WITH ORDINALITY AS known (tier, rank)
    ON CONFLICT (tier) DO UPDATE SET rank = excluded.rank WHERE tiers.rank IS DISTINCT FROM excluded.rank
  `.execute(database)
}
