-- Erases a person: what names them goes, credits and invoices stay. Ledger and events are append-only for everybody
-- else; this function says so with a setting of its own transaction.
ALTER TABLE events DROP CONSTRAINT events_kind_check, ADD CONSTRAINT events_kind_check CHECK (
  kind IN (
    'account_made', 'tier_changed', 'key_made', 'key_revoked', 'session_started', 'session_ended', 'account_erased'
  )
);

CREATE FUNCTION is_erasing() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('bookreel.erasing', true), '') = 'yes'
$$;

CREATE OR REPLACE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND is_erasing() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'events are append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_append_only';
END
$$;

CREATE OR REPLACE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND is_erasing() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'ledger_append_only';
END
$$;

-- Returns the keys that worked until now. Safe to repeat.
CREATE FUNCTION erase_account(of_account uuid) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  DELETE FROM people WHERE account_id = of_account;
  UPDATE accounts SET name = 'erased' WHERE id = of_account;
  -- The label first: revoking writes it into an event.
  UPDATE api_keys SET label = 'erased' WHERE account_id = of_account;
  RETURN QUERY UPDATE api_keys SET revoked_at = now()
    WHERE account_id = of_account AND revoked_at IS NULL RETURNING id;
  UPDATE invoices SET idempotency_key = NULL WHERE account_id = of_account;
  UPDATE payment_reviews SET resolution = NULL
    WHERE subject IN (SELECT id::text FROM invoices WHERE account_id = of_account);
  PERFORM set_config('bookreel.erasing', 'yes', true);
  UPDATE events SET detail = CASE WHEN kind IN ('session_started', 'session_ended') THEN '{}' ELSE detail - 'label' END
    WHERE account_id = of_account;
  -- Texts that the person or an operator chose. References of payments and grants stay: the audit needs them.
  UPDATE ledger SET note = NULL, request_id = NULL,
      idem = CASE WHEN idem LIKE 'client:%' OR idem LIKE 'operator:%' THEN format('erased:%s', id) ELSE idem END
    WHERE account_id = of_account;
  PERFORM set_config('bookreel.erasing', '', true);
  INSERT INTO events (account_id, kind, subject) VALUES (of_account, 'account_erased', of_account::text);
END
$$;
