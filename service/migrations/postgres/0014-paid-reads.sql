-- What a charged request read and what it was answered, so that a free retry reads the same and gets the same answer.
-- Null for charges without a key of the caller, and for those of version 0.8.
ALTER TABLE ledger ADD COLUMN answer_hash text;
ALTER TABLE ledger ADD COLUMN read_at_ms bigint;
ALTER TABLE ledger ADD COLUMN read_up_to_slot bigint;

CREATE FUNCTION charge_credits(
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

  SELECT * INTO paid FROM ledger WHERE account_id = of_account AND idem = with_idem;
  IF FOUND THEN
    SELECT count(*) INTO replays FROM ledger WHERE ref = paid.id AND kind = 'replay';
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
  INSERT INTO ledger (
    account_id, delta, kind, idem, fingerprint, key_id, endpoint, request_id, answer_hash, read_at_ms, read_up_to_slot
  )
  VALUES (
    of_account, -credits, 'charge', with_idem, with_fingerprint, by_key, for_endpoint, for_request, with_answer, read_at,
    read_up_to
  );
  UPDATE api_keys
  SET spent = CASE WHEN spent_month = this_month THEN spent ELSE 0 END + credits, spent_month = this_month
  WHERE id = by_key;
  outcome := 'charged';
  charged := credits;
  balance_left := held.balance - credits;
  key_left := key_left - credits;
END
$$;

-- Version 0.8 calls it with eight arguments; it stays until no process of it can run.
CREATE OR REPLACE FUNCTION charge_credits(
  of_account uuid, by_key uuid, credits bigint, with_idem text, with_fingerprint text, for_endpoint text,
  for_request text, free_credits bigint,
  OUT outcome text, OUT charged bigint, OUT balance_left bigint, OUT key_left bigint
) LANGUAGE sql AS $$
  SELECT * FROM charge_credits(
    of_account, by_key, credits, with_idem, with_fingerprint, for_endpoint, for_request, free_credits, NULL, NULL, NULL
  )
$$;
