-- What a tier brings each month, and how many keys it allows. Every migration run fills both from TIER_TABLE in
-- src/domain/tier.ts.
ALTER TABLE tiers ADD COLUMN monthly_credits bigint, ADD COLUMN max_keys integer;

ALTER FUNCTION settle_grants(uuid, bigint) RENAME TO book_grants;

-- The amount comes from processes whose login could be stolen; the table is written only by the owner. While the table
-- has no amount, `least` takes the other one.
CREATE FUNCTION settle_grants(of_account uuid, free_credits bigint) RETURNS accounts LANGUAGE sql AS $$
  SELECT book_grants(of_account, least(free_credits, (SELECT monthly_credits FROM tiers WHERE tier = 'free')))
$$;
