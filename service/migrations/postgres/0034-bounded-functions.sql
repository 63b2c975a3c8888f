-- Accounts as logins of roles see them: names are those of people, and often their e-mail addresses.
CREATE VIEW nameless_accounts AS
  SELECT id, tier, tier_since, tier_expires_at, next_grant_at, months_from, balance, created_at,
    tier_of(accounts) AS tier_now, tier_until(accounts) AS tier_ends_at
  FROM accounts;

-- Other events are written by triggers and functions only.
CREATE FUNCTION note_session(of_account uuid, of_kind text, of_subject text, with_detail jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF of_kind NOT IN ('session_started', 'session_ended', 'sessions_ended') THEN
    RAISE EXCEPTION '% is no event of a session', of_kind USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO events (account_id, kind, subject, detail) VALUES (of_account, of_kind, of_subject, with_detail);
END
$$;

-- What is sold. Every migration run fills it from src/domain/packs.ts.
CREATE TABLE packs (
  id text PRIMARY KEY,
  price_usd numeric(12, 2) NOT NULL,
  credits bigint NOT NULL,
  tier text REFERENCES tiers (tier),
  months integer NOT NULL
);

-- Stores an invoice before the processor makes it. Without an external id it may be made again under the same key.
CREATE FUNCTION begin_invoice(
  of_account uuid, at_provider text, of_pack text, in_currency text, with_key text, life_minutes integer,
  OUT outcome text, OUT invoice_id uuid
) LANGUAGE plpgsql AS $$
DECLARE
  known invoices;
  ends_at timestamptz := now() + make_interval(mins => life_minutes);
  unpaid integer;
  lately integer;
BEGIN
  -- The lock keeps the counts valid until the insert, and lets requests with the same key wait for each other.
  PERFORM FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  SELECT * INTO known FROM invoices WHERE account_id = of_account AND idempotency_key = with_key;
  invoice_id := known.id;
  IF known.pack <> of_pack OR (known.id IS NOT NULL AND known.pay_currency IS DISTINCT FROM in_currency) THEN
    outcome := 'mismatch';
    RETURN;
  ELSIF known.external_id IS NOT NULL THEN
    outcome := 'known';
    RETURN;
  END IF;
  SELECT count(*) FILTER (WHERE state IN ('creating', 'open') AND expires_at > now() AND id IS DISTINCT FROM known.id),
    coalesce(sum(attempts) FILTER (WHERE created_at > now() - interval '1 hour'), 0)
  INTO unpaid, lately FROM invoices WHERE account_id = of_account;
  IF unpaid >= 5 THEN
    outcome := 'too_many_unpaid';
  ELSIF lately >= 20 THEN
    outcome := 'too_many_lately';
  ELSIF known.id IS NOT NULL THEN
    UPDATE invoices
    SET state = 'creating', provider = at_provider, created_at = now(), expires_at = ends_at, attempts = attempts + 1
    WHERE id = known.id;
    outcome := 'begun';
  ELSE
    INSERT INTO invoices (
      account_id, provider, idempotency_key, pack, pay_currency, price_usd, credits, tier, months, expires_at
    )
    SELECT of_account, at_provider, with_key, id, in_currency, price_usd, credits, tier, months, ends_at
    FROM packs WHERE id = of_pack RETURNING id INTO STRICT invoice_id;
    outcome := 'begun';
  END IF;
END
$$;

-- Of those the processor made nothing, so nobody can pay them.
CREATE FUNCTION delete_failed_invoices() RETURNS void LANGUAGE sql AS $$
  DELETE FROM invoices WHERE state = 'failed' AND external_id IS NULL AND created_at < now() - interval '1 day'
$$;
