-- The ledger in 16 parts by account, so that its indexes stay small and vacuum works on one part at a time. Every unique
-- key begins with the account: only then it holds across the parts. Numbers of rows stay unique in the whole ledger.

-- In the order in which charges take them.
LOCK TABLE accounts, api_keys, ledger IN ACCESS EXCLUSIVE MODE;

DROP VIEW charged_days;
DROP VIEW account_events;
ALTER TABLE ledger RENAME TO whole_ledger;
ALTER TABLE whole_ledger RENAME CONSTRAINT ledger_pkey TO whole_ledger_pkey;
ALTER TABLE whole_ledger RENAME CONSTRAINT ledger_account_id_idem_key TO whole_ledger_account_id_idem_key;
DROP INDEX ledger_one_refund, ledger_replays, ledger_account_time;

-- PostgreSQL has identity columns in parts only since version 17.
CREATE SEQUENCE ledger_ids;
SELECT setval('ledger_ids', coalesce(max(id), 0) + 1, false) FROM whole_ledger;

CREATE TABLE ledger (
  id bigint NOT NULL DEFAULT nextval('ledger_ids'),
  account_id uuid NOT NULL REFERENCES accounts (id),
  delta bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'replay', 'void', 'grant', 'payment', 'refund', 'adjustment')),
  idem text NOT NULL,
  fingerprint text,
  ref bigint,
  key_id uuid REFERENCES api_keys (id),
  endpoint text,
  request_id text,
  note text,
  at timestamptz(3) NOT NULL DEFAULT now(),
  answer_hash text,
  read_at_ms bigint,
  read_up_to_slot bigint,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, idem),
  -- A row is replayed or refunded only within its account.
  FOREIGN KEY (account_id, ref) REFERENCES ledger (account_id, id),
  CONSTRAINT ledger_direction CHECK (
    CASE kind WHEN 'charge' THEN delta < 0 WHEN 'replay' THEN delta = 0 WHEN 'void' THEN delta = 0 WHEN 'adjustment' THEN delta <> 0 ELSE delta > 0 END
  ),
  CONSTRAINT ledger_reference CHECK ((kind IN ('replay', 'refund')) = (ref IS NOT NULL)),
  CONSTRAINT ledger_charge_told CHECK (kind <> 'charge' OR (fingerprint IS NOT NULL AND endpoint IS NOT NULL))
) PARTITION BY HASH (account_id);

DO $$
BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format('CREATE TABLE ledger_%s PARTITION OF ledger FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
  END LOOP;
END
$$;

-- Before the triggers: these rows have moved their balances already.
INSERT INTO ledger (
  id, account_id, delta, kind, idem, fingerprint, ref, key_id, endpoint, request_id, note, at, answer_hash, read_at_ms,
  read_up_to_slot
)
SELECT
  id, account_id, delta, kind, idem, fingerprint, ref, key_id, endpoint, request_id, note, at, answer_hash, read_at_ms,
  read_up_to_slot
FROM whole_ledger;
DROP TABLE whole_ledger;

CREATE UNIQUE INDEX ledger_one_refund ON ledger (account_id, ref) WHERE kind = 'refund';
CREATE INDEX ledger_replays ON ledger (account_id, ref) WHERE kind = 'replay';
CREATE INDEX ledger_account_time ON ledger (account_id, at);

CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER ledger_moves_balance AFTER INSERT ON ledger
  FOR EACH ROW WHEN (NEW.delta <> 0) EXECUTE FUNCTION move_balance();
CREATE TRIGGER ledger_counts_credits AFTER INSERT ON ledger
  FOR EACH ROW WHEN (NEW.kind IN ('charge', 'refund')) EXECUTE FUNCTION count_credits();

-- A statement that names a part does not run the trigger of the whole.
DO $$
BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format(
      'CREATE TRIGGER part_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_%s '
      'FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change()', part
    );
  END LOOP;
END
$$;

-- What follows is as before, but asks for the account too, so that PostgreSQL looks into one part only.
CREATE OR REPLACE FUNCTION count_credits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  charged ledger := NEW;
BEGIN
  IF NEW.kind = 'refund' THEN
    SELECT * INTO charged FROM ledger WHERE account_id = NEW.account_id AND id = NEW.ref;
  END IF;
  IF charged.kind = 'charge' THEN
    INSERT INTO usage_days (account_id, day, key_id, endpoint, credits)
    VALUES (charged.account_id, (charged.at AT TIME ZONE 'UTC')::date, charged.key_id, charged.endpoint, -NEW.delta)
    ON CONFLICT ON CONSTRAINT usage_days_key DO UPDATE SET credits = usage_days.credits + excluded.credits;
  END IF;
  RETURN NULL;
END
$$;

CREATE VIEW charged_days AS
  SELECT charged.account_id, (charged.at AT TIME ZONE 'UTC')::date AS day, charged.key_id, charged.endpoint,
    -sum(charged.delta + coalesce(refund.delta, 0)) AS credits
  FROM ledger AS charged LEFT JOIN ledger AS refund
    ON refund.account_id = charged.account_id AND refund.ref = charged.id AND refund.kind = 'refund'
  WHERE charged.kind = 'charge'
  GROUP BY 1, 2, 3, 4;

CREATE VIEW account_events AS
  SELECT at, account_id, kind, subject, detail FROM events
  UNION ALL
  SELECT at, account_id, 'credits_' || kind, id::text, jsonb_strip_nulls(jsonb_build_object(
    'credits', delta, 'key_id', key_id, 'endpoint', endpoint, 'request_id', request_id, 'ref', ref, 'note', note
  ))
  FROM ledger;

CREATE OR REPLACE FUNCTION charge_credits(
  of_account uuid, by_key uuid, credits bigint, with_idem text, with_fingerprint text, for_endpoint text,
  for_request text, free_credits bigint, with_answer text, read_at bigint, read_up_to bigint,
  OUT outcome text, OUT charged bigint, OUT balance_left bigint, OUT key_left bigint
) LANGUAGE plpgsql AS $$
DECLARE
  held accounts;
  paid ledger;
  replays integer;
  this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
BEGIN
  charged := 0;
  balance_left := 0;
  SELECT * INTO held FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'unknown_account';
    RETURN;
  END IF;
  IF now() >= held.next_grant_at THEN
    held := settle_grants(of_account, free_credits);
  END IF;
  balance_left := held.balance;
  key_left := key_credits_left(by_key);

  -- A new row goes to its part at once; to look for an old one first, PostgreSQL would lock every part.
  IF coalesce(key_left >= credits, true) AND held.balance >= credits THEN
    INSERT INTO ledger (
      account_id, delta, kind, idem, fingerprint, key_id, endpoint, request_id, answer_hash, read_at_ms, read_up_to_slot
    )
    VALUES (
      of_account, -credits, 'charge', with_idem, with_fingerprint, by_key, for_endpoint, for_request, with_answer,
      read_at, read_up_to
    )
    ON CONFLICT (account_id, idem) DO NOTHING;
    IF FOUND THEN
      UPDATE api_keys
      SET spent = CASE WHEN spent_month = this_month THEN spent ELSE 0 END + credits, spent_month = this_month
      WHERE id = by_key;
      outcome := 'charged';
      charged := credits;
      balance_left := held.balance - credits;
      key_left := key_left - credits;
      RETURN;
    END IF;
  END IF;

  SELECT * INTO paid FROM ledger WHERE account_id = of_account AND idem = with_idem;
  IF NOT FOUND THEN
    outcome := CASE WHEN key_left < credits THEN 'key_limit' ELSE 'out_of_credits' END;
    RETURN;
  END IF;
  SELECT count(*) INTO replays FROM ledger WHERE account_id = of_account AND ref = paid.id AND kind = 'replay';
  IF paid.fingerprint IS DISTINCT FROM with_fingerprint THEN
    outcome := 'mismatch';
  ELSIF replays >= 5 OR paid.at <= now() - interval '24 hours' THEN
    outcome := 'spent';
  ELSIF paid.answer_hash <> with_answer THEN
    outcome := 'changed';
  ELSE
    outcome := 'replayed';
    INSERT INTO ledger (account_id, delta, kind, idem, ref, key_id, endpoint, request_id)
    VALUES (of_account, 0, 'replay', format('replay:%s:%s', paid.id, replays + 1), paid.id, by_key, for_endpoint, for_request);
  END IF;
END
$$;

-- Undoes a charge of which nobody knows whether it came about. Only those with an idempotency key that the service made,
-- and within ten minutes: a stolen login can't give back more. Null: it is too late.
CREATE OR REPLACE FUNCTION void_charge(of_account uuid, with_idem text, OUT refunded bigint) LANGUAGE plpgsql AS $$
DECLARE
  paid ledger;
BEGIN
  IF with_idem NOT LIKE 'once:%' THEN
    RAISE EXCEPTION 'only a charge without an idempotency key of the caller can be undone'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  refunded := 0;
  PERFORM 1 FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  SELECT * INTO paid FROM ledger WHERE account_id = of_account AND idem = with_idem;
  IF NOT FOUND THEN
    INSERT INTO ledger (account_id, delta, kind, idem) VALUES (of_account, 0, 'void', with_idem);
  ELSIF paid.kind = 'charge' AND paid.at <= now() - interval '10 minutes' THEN
    refunded := NULL;
  ELSIF paid.kind = 'charge' THEN
    INSERT INTO ledger (account_id, delta, kind, idem, ref, key_id)
    VALUES (of_account, -paid.delta, 'refund', format('refund:%s', paid.id), paid.id, paid.key_id)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      refunded := -paid.delta;
      UPDATE api_keys SET spent = greatest(0, spent + paid.delta) WHERE id = paid.key_id;
    END IF;
  END IF;
END
$$;
