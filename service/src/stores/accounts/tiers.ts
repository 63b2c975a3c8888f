import { sql } from 'kysely'
import { isTier, TIER_LIMITS, TIERS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Writes the tiers and their credits to PostgreSQL, lowest first. A removed tier stays, because accounts may still have it. */
export async function publishTiers(database: Database, tiers: readonly string[] = TIERS): Promise<void> {
  const credits = tiers.map((tier) => (isTier(tier) ? TIER_LIMITS[tier].creditsPerMonth : null))
  await sql`
    INSERT INTO tiers (tier, monthly_credits, rank)
    SELECT tier, credits, rank
    FROM unnest(${tiers}::text[], ${credits}::bigint[]) WITH ORDINALITY AS known (tier, credits, rank)
    ON CONFLICT (tier) DO UPDATE SET rank = excluded.rank, monthly_credits = excluded.monthly_credits
    WHERE (tiers.rank, tiers.monthly_credits) IS DISTINCT FROM (excluded.rank, excluded.monthly_credits)
  `.execute(database)
}
