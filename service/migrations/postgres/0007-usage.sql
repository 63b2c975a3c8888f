-- What was really served and charged, for each key, endpoint and day (UTC). Calls are counted by the processes that
-- serve them and arrive some seconds later; credits follow the ledger, row by row.
CREATE TABLE usage_days (
  account_id uuid NOT NULL REFERENCES accounts (id),
  day date NOT NULL,
  -- Null for what was charged without a key.
  key_id uuid REFERENCES api_keys (id),
  endpoint text NOT NULL,
  calls bigint NOT NULL DEFAULT 0 CHECK (calls >= 0),
  -- Charges less what was given back; a refund counts on the day of its charge.
  credits bigint NOT NULL DEFAULT 0,
  CONSTRAINT usage_days_key UNIQUE NULLS NOT DISTINCT (account_id, day, key_id, endpoint)
);

-- Counts that have arrived: whoever sends the same ones again, not knowing, is not counted twice.
CREATE TABLE usage_batches (
  id uuid PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX usage_batches_age ON usage_batches (at);

CREATE FUNCTION count_credits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  charged ledger := NEW;
BEGIN
  IF NEW.kind = 'refund' THEN
    SELECT * INTO charged FROM ledger WHERE id = NEW.ref;
  END IF;
  IF charged.kind = 'charge' THEN
    INSERT INTO usage_days (account_id, day, key_id, endpoint, credits)
    VALUES (charged.account_id, (charged.at AT TIME ZONE 'UTC')::date, charged.key_id, charged.endpoint, -NEW.delta)
    ON CONFLICT ON CONSTRAINT usage_days_key DO UPDATE SET credits = usage_days.credits + excluded.credits;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER ledger_counts_credits AFTER INSERT ON ledger
  FOR EACH ROW WHEN (NEW.kind IN ('charge', 'refund')) EXECUTE FUNCTION count_credits();

-- What the ledger adds up to; `usage_days` must say the same.
CREATE VIEW charged_days AS
  SELECT charged.account_id, (charged.at AT TIME ZONE 'UTC')::date AS day, charged.key_id, charged.endpoint,
    -sum(charged.delta + coalesce(refund.delta, 0)) AS credits
  FROM ledger AS charged LEFT JOIN ledger AS refund ON refund.ref = charged.id AND refund.kind = 'refund'
  WHERE charged.kind = 'charge'
  GROUP BY 1, 2, 3, 4;

INSERT INTO usage_days (account_id, day, key_id, endpoint, credits)
SELECT account_id, day, key_id, endpoint, credits FROM charged_days;
