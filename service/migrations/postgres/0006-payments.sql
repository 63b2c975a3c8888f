-- What was asked for at a processor. What is sold is written down with it: packs may change.
CREATE TABLE invoices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts (id),
  provider text NOT NULL CHECK (provider IN ('nowpayments', 'btcpay')),
  -- Null until the processor has made it.
  external_id text,
  url text,
  -- The caller's own name for it, and what he asked for under it.
  idempotency_key text CHECK (char_length(idempotency_key) BETWEEN 1 AND 255),
  pack text NOT NULL,
  pay_currency text,
  price_usd numeric(12, 2) NOT NULL CHECK (price_usd > 0),
  credits bigint NOT NULL CHECK (credits > 0),
  tier text CHECK (tier IN ('pro', 'scale', 'enterprise')),
  months integer NOT NULL CHECK (months >= 0),
  state text NOT NULL DEFAULT 'creating' CHECK (
    state IN ('creating', 'open', 'confirming', 'underpaid', 'expired', 'failed', 'paid', 'refunded')
  ),
  -- When the processor was asked last to make it, and how often.
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 1,
  expires_at timestamptz(3) NOT NULL,
  paid_at timestamptz(3),
  -- When the processor is asked again; null for never, unless it calls.
  next_check_at timestamptz(3),
  failed_checks integer NOT NULL DEFAULT 0,
  -- Counts callbacks, so that one that comes while the processor is being asked is not overlooked.
  news bigint NOT NULL DEFAULT 0,
  UNIQUE (provider, external_id),
  UNIQUE (account_id, idempotency_key),
  CONSTRAINT invoices_tier_lasts CHECK ((tier IS NULL) = (months = 0)),
  CONSTRAINT invoices_paid_is_known CHECK (state NOT IN ('paid', 'refunded') OR external_id IS NOT NULL)
);

CREATE INDEX invoices_account ON invoices (account_id, created_at);
CREATE INDEX invoices_due ON invoices (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX invoices_unmade ON invoices (created_at) WHERE external_id IS NULL;

-- Signed callbacks, byte for byte. The signature is not among them.
CREATE TABLE payment_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider text NOT NULL,
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  body bytea NOT NULL,
  external_id text,
  order_id text,
  payment_id text,
  first_at timestamptz(3) NOT NULL DEFAULT now(),
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  times bigint NOT NULL DEFAULT 1,
  UNIQUE (provider, sha256)
);

CREATE INDEX payment_events_invoice ON payment_events (provider, external_id);
CREATE INDEX payment_events_order ON payment_events (provider, order_id);

-- What a human should look at, once for each invoice and reason.
CREATE TABLE payment_reviews (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider text NOT NULL,
  -- Of the invoice, ours or, when we have none, the processor's.
  subject text NOT NULL,
  reason text NOT NULL,
  detail text,
  at timestamptz(3) NOT NULL DEFAULT now(),
  resolved_at timestamptz(3),
  UNIQUE (provider, subject, reason)
);

-- Months of a tier that were paid for. Those of the best tier run, one after the other; the others wait, and no day of
-- them is lost. A month is 31 days.
CREATE TABLE paid_months (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id),
  invoice_id uuid NOT NULL REFERENCES invoices (id),
  tier text NOT NULL CHECK (tier IN ('pro', 'scale', 'enterprise')),
  left_ms bigint NOT NULL CHECK (left_ms > 0),
  -- Granted when the month begins; those of the first came with the payment.
  credits bigint NOT NULL CHECK (credits >= 0)
);

CREATE INDEX paid_months_account ON paid_months (account_id, id);

-- Where the running months are counted from. Null: the tier is not a paid one, or was arranged by hand.
ALTER TABLE accounts ADD COLUMN months_from timestamptz(3);

CREATE FUNCTION tier_rank(tier text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT array_position(ARRAY['free', 'pro', 'scale', 'enterprise'], tier)
$$;

CREATE FUNCTION in_ms(ms numeric) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
  SELECT ms::double precision * interval '1 millisecond'
$$;

-- Months that wait take their turn by themselves, whether or not anyone has booked it yet.
CREATE OR REPLACE FUNCTION tier_of(account accounts) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN account.tier_expires_at <= now() THEN coalesce((
    SELECT waiting.tier FROM (
      SELECT paid_months.tier, account.tier_expires_at + in_ms(sum(sum(left_ms)) OVER (ORDER BY tier_rank(paid_months.tier) DESC)) AS until
      FROM paid_months
      WHERE account_id = account.id AND (account.months_from IS NULL OR paid_months.tier <> account.tier)
      GROUP BY paid_months.tier
    ) AS waiting
    WHERE waiting.until > now() ORDER BY waiting.until LIMIT 1
  ), 'free') ELSE account.tier END
$$;

-- The best of the months that wait begin to run. False: none wait.
CREATE FUNCTION begin_paid_months(of_account uuid, begin_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  best text;
  best_ms numeric;
BEGIN
  SELECT tier, sum(left_ms) INTO best, best_ms FROM paid_months
  WHERE account_id = of_account GROUP BY tier ORDER BY tier_rank(tier) DESC LIMIT 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE accounts
  SET tier = best, tier_since = begin_at, months_from = begin_at, tier_expires_at = begin_at + in_ms(best_ms),
    monthly_credits = 0, next_grant_at = '-infinity'
  WHERE id = of_account;
  RETURN true;
END
$$;

-- The running months stop: what has passed of them is gone, the rest waits. Whoever calls it has settled the grants
-- and sets a tier next.
CREATE FUNCTION pause_paid_months(of_account uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  held accounts;
  passed_ms bigint;
BEGIN
  SELECT * INTO held FROM accounts WHERE id = of_account AND months_from IS NOT NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  passed_ms := greatest(0, floor(extract(epoch FROM now() - held.months_from) * 1000));
  WITH placed AS (
    SELECT id, sum(left_ms) OVER (ORDER BY id) AS until_ms FROM paid_months
    WHERE account_id = of_account AND tier = held.tier
  ), gone AS (
    DELETE FROM paid_months USING placed WHERE paid_months.id = placed.id AND placed.until_ms <= passed_ms
  )
  UPDATE paid_months SET left_ms = placed.until_ms - passed_ms FROM placed
  WHERE paid_months.id = placed.id AND placed.until_ms > passed_ms AND placed.until_ms - left_ms < passed_ms;
  UPDATE accounts SET months_from = NULL WHERE id = of_account;
END
$$;

-- As before, and months that were paid for: each brings its credits when it begins, and those that wait take their turn.
CREATE OR REPLACE FUNCTION settle_grants(of_account uuid, free_credits bigint) RETURNS accounts
LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
DECLARE
  held accounts;
  paid_until timestamptz;
  due timestamptz;
  next_at timestamptz;
BEGIN
  SELECT * INTO held FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  IF NOT FOUND OR now() < held.next_grant_at THEN
    RETURN held;
  END IF;
  LOOP
    IF held.months_from IS NOT NULL THEN
      INSERT INTO ledger (account_id, delta, kind, idem)
      SELECT of_account, credits, 'grant', format('month:%s', id)
      FROM (
        SELECT id, credits, held.months_from + in_ms(sum(left_ms) OVER (ORDER BY id) - left_ms) AS begins_at
        FROM paid_months WHERE account_id = of_account AND tier = held.tier
      ) AS placed
      WHERE credits > 0 AND begins_at <= now()
      ON CONFLICT DO NOTHING;
      SELECT min(begins_at) INTO next_at FROM (
        SELECT held.months_from + in_ms(sum(left_ms) OVER (ORDER BY id) - left_ms) AS begins_at
        FROM paid_months WHERE account_id = of_account AND tier = held.tier
      ) AS placed
      WHERE begins_at > now();
      next_at := least(next_at, held.tier_expires_at);
    ELSIF held.tier <> 'free' THEN
      paid_until := coalesce(held.tier_expires_at, 'infinity');
      FOR month IN 1..1200 LOOP
        due := held.tier_since + make_interval(months => month);
        EXIT WHEN due > now() OR due >= paid_until;
        IF held.monthly_credits > 0 THEN
          INSERT INTO ledger (account_id, delta, kind, idem)
          VALUES (of_account, held.monthly_credits, 'grant', format('grant:%s:%s', of_account, to_char(due, 'YYYY-MM')))
          ON CONFLICT DO NOTHING;
        END IF;
      END LOOP;
      next_at := least(due, paid_until);
    END IF;
    EXIT WHEN held.tier_expires_at IS NULL OR held.tier_expires_at > now();
    IF held.months_from IS NOT NULL THEN
      DELETE FROM paid_months WHERE account_id = of_account AND tier = held.tier;
    END IF;
    EXIT WHEN NOT begin_paid_months(of_account, held.tier_expires_at);
    SELECT * INTO held FROM accounts WHERE id = of_account;
  END LOOP;
  IF tier_of(held) = 'free' THEN
    IF free_credits > 0 THEN
      INSERT INTO ledger (account_id, delta, kind, idem)
      VALUES (of_account, free_credits, 'grant', format('grant:%s:%s', of_account, to_char(now(), 'YYYY-MM')))
      ON CONFLICT DO NOTHING;
    END IF;
    next_at := date_trunc('month', now()) + interval '1 month';
  END IF;
  UPDATE accounts SET next_grant_at = next_at WHERE id = of_account RETURNING * INTO held;
  RETURN held;
END
$$;

-- Months that were just paid for. A better tier begins now, the same one goes on longer, a lower one waits; all wait
-- while a tier runs that was arranged by hand. Says whether one does.
CREATE FUNCTION add_paid_months(of_invoice uuid, free_credits bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  bought invoices;
  held accounts;
  is_arranged boolean;
  is_better boolean;
  month_ms CONSTANT bigint := 31 * 86400000::bigint;
BEGIN
  SELECT * INTO bought FROM invoices WHERE id = of_invoice;
  held := settle_grants(bought.account_id, free_credits);
  is_arranged := tier_of(held) <> 'free' AND held.months_from IS NULL;
  is_better := NOT is_arranged AND (tier_of(held) = 'free' OR tier_rank(bought.tier) > tier_rank(held.tier));
  IF is_better THEN
    PERFORM pause_paid_months(held.id);
  END IF;
  INSERT INTO paid_months (account_id, invoice_id, tier, left_ms, credits)
  SELECT held.id, bought.id, bought.tier, month_ms, CASE WHEN month = 1 THEN 0 ELSE bought.credits END
  FROM generate_series(1, bought.months) AS month ORDER BY month;
  IF is_better THEN
    PERFORM begin_paid_months(held.id, now());
  ELSIF bought.tier = held.tier AND NOT is_arranged THEN
    UPDATE accounts
    SET tier_expires_at = tier_expires_at + in_ms(bought.months * month_ms), next_grant_at = '-infinity'
    WHERE id = held.id;
  END IF;
  RETURN is_arranged;
END
$$;
