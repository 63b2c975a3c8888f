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
