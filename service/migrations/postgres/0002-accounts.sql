-- Who pays. The balance is what the ledger adds up to, and only the ledger moves it.
CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
  tier text NOT NULL DEFAULT 'free' CHECK (tier IN ('free', 'pro', 'scale', 'enterprise')),
  -- Months of a paid tier are counted from here.
  tier_since timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: for ever.
  tier_expires_at timestamptz(3),
  -- What a paid tier is granted at the beginning of its second month and of every later one.
  monthly_credits bigint NOT NULL DEFAULT 0 CHECK (monthly_credits >= 0),
  -- Before this instant no monthly grant is due.
  next_grant_at timestamptz(3) NOT NULL DEFAULT '-infinity',
  balance bigint NOT NULL DEFAULT 0 CONSTRAINT accounts_balance_not_negative CHECK (balance >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE FUNCTION tier_of(account accounts) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN account.tier_expires_at <= now() THEN 'free' ELSE account.tier END
$$;

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts (id),
  -- HMAC-SHA256 of the key; the key itself is nowhere.
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  pepper_id text NOT NULL,
  preview text NOT NULL,
  label text NOT NULL CHECK (char_length(label) BETWEEN 1 AND 64),
  scopes text[] NOT NULL,
  expires_at timestamptz(3),
  -- Credits a calendar month (UTC); null for no limit.
  credit_limit bigint CHECK (credit_limit >= 0),
  spent_month date,
  spent bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);

CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

-- Every credit that came or went. Rows are added and never changed.
CREATE TABLE ledger (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id),
  delta bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'replay', 'void', 'grant', 'payment', 'refund', 'adjustment')),
  -- Who does the same thing twice finds it done.
  idem text NOT NULL,
  -- What was paid for: the same idempotency key for another request is a mistake.
  fingerprint text,
  -- The row that is replayed or refunded.
  ref bigint REFERENCES ledger (id),
  key_id uuid REFERENCES api_keys (id),
  endpoint text,
  request_id text,
  note text,
  at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (account_id, idem),
  CONSTRAINT ledger_direction CHECK (
    CASE kind WHEN 'charge' THEN delta < 0 WHEN 'replay' THEN delta = 0 WHEN 'void' THEN delta = 0 WHEN 'adjustment' THEN delta <> 0 ELSE delta > 0 END
  ),
  CONSTRAINT ledger_reference CHECK ((kind IN ('replay', 'refund')) = (ref IS NOT NULL)),
  CONSTRAINT ledger_charge_told CHECK (kind <> 'charge' OR (fingerprint IS NOT NULL AND endpoint IS NOT NULL))
);

CREATE UNIQUE INDEX ledger_one_refund ON ledger (ref) WHERE kind = 'refund';
CREATE INDEX ledger_replays ON ledger (ref) WHERE kind = 'replay';
CREATE INDEX ledger_account_time ON ledger (account_id, at);

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_append_only';
END
$$;

CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

CREATE FUNCTION move_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET balance = balance + NEW.delta WHERE id = NEW.account_id;
  RETURN NULL;
END
$$;

CREATE TRIGGER ledger_moves_balance AFTER INSERT ON ledger
  FOR EACH ROW WHEN (NEW.delta <> 0) EXECUTE FUNCTION move_balance();

CREATE FUNCTION refuse_balance_without_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'only the ledger moves a balance'
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'accounts_balance_by_ledger';
END
$$;

CREATE TRIGGER accounts_balance_by_ledger BEFORE UPDATE ON accounts
  FOR EACH ROW WHEN (OLD.balance IS DISTINCT FROM NEW.balance AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION refuse_balance_without_ledger();
CREATE TRIGGER accounts_begin_with_nothing BEFORE INSERT ON accounts
  FOR EACH ROW WHEN (NEW.balance <> 0) EXECUTE FUNCTION refuse_balance_without_ledger();

-- Books the monthly grants that are due. Of a paid tier every month, also those in which nobody asked, because they
-- were paid for; the first came with the payment. Of the free tier the current calendar month.
CREATE FUNCTION settle_grants(of_account uuid, free_credits bigint) RETURNS accounts
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
  IF held.tier <> 'free' THEN
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

-- What a key may still spend in this month; null for no limit of its own.
CREATE FUNCTION key_credits_left(of_key uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT credit_limit - CASE WHEN spent_month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN spent ELSE 0 END
  FROM api_keys WHERE id = of_key
$$;

CREATE FUNCTION spendable_credits(
  of_account uuid, by_key uuid, free_credits bigint, OUT is_known boolean, OUT balance_left bigint, OUT key_left bigint
) LANGUAGE plpgsql AS $$
DECLARE
  held accounts;
BEGIN
  SELECT * INTO held FROM accounts WHERE id = of_account;
  is_known := FOUND;
  IF is_known AND now() >= held.next_grant_at THEN
    held := settle_grants(of_account, free_credits);
  END IF;
  balance_left := coalesce(held.balance, 0);
  key_left := key_credits_left(by_key);
END
$$;

-- One charge, whole or not at all, in one round trip. The lock on the account makes everything below it happen one
-- after the other, on however many nodes.
CREATE FUNCTION charge_credits(
  of_account uuid, by_key uuid, credits bigint, with_idem text, with_fingerprint text, for_endpoint text,
  for_request text, free_credits bigint,
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

  SELECT * INTO paid FROM ledger WHERE account_id = of_account AND idem = with_idem;
  IF FOUND THEN
    SELECT count(*) INTO replays FROM ledger WHERE ref = paid.id AND kind = 'replay';
    IF paid.fingerprint IS DISTINCT FROM with_fingerprint THEN
      outcome := 'mismatch';
    ELSIF replays >= 5 OR paid.at <= now() - interval '24 hours' THEN
      outcome := 'spent';
    ELSE
      outcome := 'replayed';
      INSERT INTO ledger (account_id, delta, kind, idem, ref, key_id, endpoint, request_id)
      VALUES (of_account, 0, 'replay', format('replay:%s:%s', paid.id, replays + 1), paid.id, by_key, for_endpoint, for_request);
    END IF;
    RETURN;
  END IF;

  IF key_left < credits THEN
    outcome := 'key_limit';
    RETURN;
  END IF;
  IF held.balance < credits THEN
    outcome := 'out_of_credits';
    RETURN;
  END IF;
  INSERT INTO ledger (account_id, delta, kind, idem, fingerprint, key_id, endpoint, request_id)
  VALUES (of_account, -credits, 'charge', with_idem, with_fingerprint, by_key, for_endpoint, for_request);
  UPDATE api_keys
  SET spent = CASE WHEN spent_month = this_month THEN spent ELSE 0 END + credits, spent_month = this_month
  WHERE id = by_key;
  outcome := 'charged';
  charged := credits;
  balance_left := held.balance - credits;
  key_left := key_left - credits;
END
$$;

-- Undoes a charge of which nobody knows whether it came about: what was taken is given back, and if it is still on
-- its way it will find its name taken. Harmless when repeated.
CREATE FUNCTION void_charge(of_account uuid, with_idem text, OUT refunded bigint) LANGUAGE plpgsql AS $$
DECLARE
  paid ledger;
BEGIN
  refunded := 0;
  PERFORM 1 FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  SELECT * INTO paid FROM ledger WHERE account_id = of_account AND idem = with_idem;
  IF NOT FOUND THEN
    INSERT INTO ledger (account_id, delta, kind, idem) VALUES (of_account, 0, 'void', with_idem);
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

-- Whoever remembers callers hears of it when what he remembers is no longer so.
CREATE FUNCTION tell_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('access_changes', format('%s:%s', TG_ARGV[0], NEW.id));
  RETURN NULL;
END
$$;

CREATE TRIGGER api_keys_tell_revocation AFTER UPDATE ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION tell_access_change('key');
CREATE TRIGGER accounts_tell_tier AFTER UPDATE ON accounts
  FOR EACH ROW WHEN ((OLD.tier, OLD.tier_expires_at) IS DISTINCT FROM (NEW.tier, NEW.tier_expires_at))
  EXECUTE FUNCTION tell_access_change('account');
