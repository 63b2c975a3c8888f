-- What only the code of one venue understands leaves the columns; every venue has a key of its own for a market.
ALTER TABLE markets
  ADD COLUMN venue_key text NOT NULL DEFAULT '',
  ADD COLUMN price_grid jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN facts jsonb NOT NULL DEFAULT '{}';

UPDATE markets SET
  venue_key = id,
  facts = jsonb_build_object('negRisk', neg_risk, 'minOrderSize', min_order_size, 'version', version);

ALTER TABLE markets RENAME COLUMN neg_risk_id TO group_id;
ALTER TABLE markets DROP COLUMN neg_risk, DROP COLUMN min_order_size, DROP COLUMN version;
