-- What the account had after each entry, so that a page of the history needs no sum over everything before it.
ALTER TABLE ledger ADD COLUMN balance_after bigint;

SELECT set_config('bookreel.erasing', 'yes', true);
UPDATE ledger SET balance_after = summed.balance FROM (
  SELECT account_id, id, sum(delta) OVER (PARTITION BY account_id ORDER BY id) AS balance FROM ledger
) AS summed
WHERE ledger.account_id = summed.account_id AND ledger.id = summed.id;
SELECT set_config('bookreel.erasing', '', true);

-- The lock on the account comes first: then numbers of entries have the order of their balances.
CREATE FUNCTION place_in_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  balance_before bigint;
BEGIN
  PERFORM FROM accounts WHERE id = NEW.account_id FOR NO KEY UPDATE;
  -- A statement may insert several entries, and the account gets their sum only at its end.
  SELECT balance_after INTO balance_before FROM ledger WHERE account_id = NEW.account_id ORDER BY id DESC LIMIT 1;
  NEW.balance_after := coalesce(balance_before, 0) + NEW.delta;
  NEW.id := nextval('ledger_ids');
  RETURN NEW;
END
$$;

CREATE TRIGGER ledger_places_entry BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION place_in_ledger();

-- With a place for each event, so that a list of them can go on where a page ended: events of one transaction have the
-- same time.
DROP VIEW account_events;
CREATE VIEW account_events AS
  SELECT at, account_id, kind, subject, detail, 0 AS source, id AS number FROM events
  UNION ALL
  SELECT at, account_id, 'credits_' || kind, id::text, jsonb_strip_nulls(jsonb_build_object(
    'credits', delta, 'key_id', key_id, 'endpoint', endpoint, 'request_id', request_id, 'ref', ref, 'note', note
  )), 1, id
  FROM ledger;

-- The API may read the events of one account at a time, newest first, and not the table. Without `before_at` the newest.
CREATE FUNCTION list_account_events(
  of_account uuid, most integer, before_at timestamptz, before_source integer, before_number bigint
) RETURNS SETOF account_events LANGUAGE sql STABLE AS $$
  SELECT * FROM account_events
  WHERE account_id = of_account AND at <= coalesce(before_at, 'infinity')
    AND (before_at IS NULL OR (at, source, number) < (before_at, before_source, before_number))
  ORDER BY at DESC, source DESC, number DESC LIMIT most
$$;
