-- What an operator does in the console is an event of the account to which it happens.
ALTER TABLE events DROP CONSTRAINT events_kind_check, ADD CONSTRAINT events_kind_check CHECK (
  kind IN (
    'account_made', 'tier_changed', 'key_made', 'key_changed', 'key_rotated', 'key_revoked', 'session_started',
    'session_ended', 'account_erased', 'review_resolved', 'sessions_ended', 'accounts_searched'
  )
);

-- Closes a review and writes who decided what, in one step. False: no open review has this number. A review without an
-- invoice of ours belongs to no account; then the event is one of the operator's own account.
CREATE FUNCTION resolve_review(of_review bigint, decision text, of_operator uuid, operator_name text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  closed payment_reviews;
BEGIN
  UPDATE payment_reviews SET resolved_at = now(), resolution = decision
  WHERE id = of_review AND resolved_at IS NULL RETURNING * INTO closed;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO events (account_id, kind, subject, detail) VALUES (
    coalesce((SELECT account_id FROM invoices WHERE id::text = closed.subject), of_operator),
    'review_resolved', of_review::text,
    jsonb_build_object(
      'operator', operator_name, 'operator_id', of_operator, 'reason', decision, 'review', closed.reason,
      'invoice', closed.subject
    )
  );
  RETURN true;
END
$$;

-- The API may look for accounts, and read no names and e-mail addresses otherwise. What was found is an event of the
-- operator. The account with this id comes first: others may have the id in their name, which people choose.
CREATE FUNCTION search_accounts(of_operator uuid, words text, most integer) RETURNS TABLE (
  account_id uuid, account_name text, emails text[], tier_now text, credits bigint, made_at timestamptz
) LANGUAGE sql AS $$
  WITH found AS (
    SELECT accounts.id, accounts.name,
      ARRAY(
        SELECT DISTINCT people.email FROM people
        WHERE people.account_id = accounts.id AND people.email IS NOT NULL ORDER BY people.email
      ),
      -- Without the cast PostgreSQL puts the query into another one, which may not insert.
      tier_of(accounts), accounts.balance, accounts.created_at::timestamptz
    FROM accounts
    WHERE accounts.id::text = lower(words)
      OR strpos(lower(accounts.name), lower(words)) > 0
      OR EXISTS (
        SELECT FROM people WHERE people.account_id = accounts.id AND strpos(lower(people.email), lower(words)) > 0
      )
      OR EXISTS (SELECT FROM api_keys WHERE api_keys.account_id = accounts.id AND strpos(api_keys.preview, words) > 0)
    ORDER BY accounts.id::text = lower(words) DESC, accounts.created_at DESC, accounts.id LIMIT least(most, 50)
  ), noted AS (
    INSERT INTO events (account_id, kind, subject, detail)
    SELECT of_operator, 'accounts_searched', of_operator::text,
      jsonb_build_object('found', count(id), 'accounts', coalesce(jsonb_agg(id), '[]'))
    FROM found
  )
  SELECT * FROM found ORDER BY id::text = lower(words) DESC, created_at DESC, id
$$;

-- As before, and the reasons that operators gave: they may name the person.
CREATE OR REPLACE FUNCTION erase_account(of_account uuid) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
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
  UPDATE events SET detail = CASE
      WHEN kind IN ('session_started', 'session_ended') THEN '{}' ELSE detail - 'label' - 'reason'
    END
    WHERE account_id = of_account;
  -- Texts that the person or an operator chose. References of payments and grants stay: the audit needs them.
  UPDATE ledger SET note = NULL, request_id = NULL,
      idem = CASE WHEN idem LIKE 'client:%' OR idem LIKE 'operator:%' THEN format('erased:%s', id) ELSE idem END
    WHERE account_id = of_account;
  PERFORM set_config('bookreel.erasing', '', true);
  INSERT INTO events (account_id, kind, subject) VALUES (of_account, 'account_erased', of_account::text);
END
$$;
