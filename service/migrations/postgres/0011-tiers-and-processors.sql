-- The tiers that the code knows, and their order. Every migration run fills it from TIER_TABLE in src/domain/tier.ts.
CREATE TABLE tiers (
  tier text PRIMARY KEY,
  rank integer NOT NULL
);

INSERT INTO tiers (tier, rank)
SELECT tier, tier_rank(tier) FROM (
  SELECT 'free' AS tier UNION SELECT tier FROM accounts UNION SELECT tier FROM paid_months
  UNION SELECT tier FROM invoices WHERE tier IS NOT NULL
) AS used;

ALTER TABLE accounts
  DROP CONSTRAINT accounts_tier_check,
  ADD CONSTRAINT accounts_tier_known FOREIGN KEY (tier) REFERENCES tiers (tier);
ALTER TABLE invoices
  DROP CONSTRAINT invoices_tier_check,
  ADD CONSTRAINT invoices_tier_known FOREIGN KEY (tier) REFERENCES tiers (tier),
  ADD CONSTRAINT invoices_tier_paid CHECK (tier <> 'free'),
  -- Which processors there are is the code's to know (src/payments/all-processors.ts).
  DROP CONSTRAINT invoices_provider_check;
ALTER TABLE paid_months
  DROP CONSTRAINT paid_months_tier_check,
  ADD CONSTRAINT paid_months_tier_known FOREIGN KEY (tier) REFERENCES tiers (tier),
  ADD CONSTRAINT paid_months_tier_paid CHECK (tier <> 'free');

CREATE OR REPLACE FUNCTION tier_rank(tier text) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT rank FROM tiers WHERE tiers.tier = $1
$$;
