import { sql } from 'kysely'
import { isTier, TIER_LIMITS, TIERS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Writes the tiers, their credits and numbers of keys to PostgreSQL, lowest first. A removed tier stays, because accounts may still have it. */
export async function publishTiers(database: Database, tiers: readonly string[] = TIERS): Promise<void> {
  const limits = tiers.map((tier) => (isTier(tier) ? TIER_LIMITS[tier] : undefined))
  const credits = limits.map((each) => each?.creditsPerMonth ?? null)
  const keys = limits.map((each) => each?.maxKeys ?? null)
  await sql`
    INSERT INTO tiers (tier, monthly_credits, max_keys, rank)
    SELECT tier, credits, keys, rank
    FROM unnest(${tiers}::text[], ${credits}::bigint[], ${keys}::integer[]) WITH ORDINALITY
      AS known (tier, credits, keys, rank)
    ON CONFLICT (tier) DO UPDATE
    SET rank = excluded.rank, monthly_credits = excluded.monthly_credits, max_keys = excluded.max_keys
    WHERE (tiers.rank, tiers.monthly_credits, tiers.max_keys)
      IS DISTINCT FROM (excluded.rank, excluded.monthly_credits, excluded.max_keys)
  `.execute(database)
}
