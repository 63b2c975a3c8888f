-- What happened to accounts and their keys. Rows are added and never changed; nothing secret is in them. Credits
-- have the ledger, which is such a list already.
CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT now(),
  account_id uuid NOT NULL REFERENCES accounts (id),
  kind text NOT NULL CHECK (
    kind IN ('account_made', 'tier_changed', 'key_made', 'key_revoked', 'session_started', 'session_ended')
  ),
  -- What it happened to: the id of an account, of a key, or of a session.
  subject text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'
);

CREATE INDEX events_account_time ON events (account_id, at);

CREATE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events are append-only' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_append_only';
END
$$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change();

CREATE FUNCTION note_account_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (account_id, kind, subject, detail)
  VALUES (NEW.id, TG_ARGV[0], NEW.id::text, jsonb_strip_nulls(jsonb_build_object(
    'tier', NEW.tier, 'expires_at', NEW.tier_expires_at, 'monthly_credits', NEW.monthly_credits,
    'former_tier', CASE TG_OP WHEN 'UPDATE' THEN OLD.tier END
  )));
  RETURN NULL;
END
$$;

CREATE TRIGGER accounts_note_made AFTER INSERT ON accounts
  FOR EACH ROW EXECUTE FUNCTION note_account_event('account_made');
CREATE TRIGGER accounts_note_tier AFTER UPDATE ON accounts
  FOR EACH ROW WHEN (
    (OLD.tier, OLD.tier_since, OLD.tier_expires_at, OLD.monthly_credits)
      IS DISTINCT FROM (NEW.tier, NEW.tier_since, NEW.tier_expires_at, NEW.monthly_credits)
  )
  EXECUTE FUNCTION note_account_event('tier_changed');

CREATE FUNCTION note_key_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (account_id, kind, subject, detail)
  VALUES (NEW.account_id, TG_ARGV[0], NEW.id::text, jsonb_strip_nulls(jsonb_build_object(
    'label', NEW.label, 'preview', NEW.preview, 'scopes', NEW.scopes, 'expires_at', NEW.expires_at,
    'credit_limit', NEW.credit_limit
  )));
  RETURN NULL;
END
$$;

CREATE TRIGGER api_keys_note_made AFTER INSERT ON api_keys
  FOR EACH ROW EXECUTE FUNCTION note_key_event('key_made');
CREATE TRIGGER api_keys_note_revoked AFTER UPDATE ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION note_key_event('key_revoked');

-- Whatever was there before is told once, as of when it was made.
INSERT INTO events (at, account_id, kind, subject)
SELECT created_at, id, 'account_made', id::text FROM accounts ORDER BY created_at;
INSERT INTO events (at, account_id, kind, subject)
SELECT created_at, account_id, 'key_made', id::text FROM api_keys ORDER BY created_at;
INSERT INTO events (at, account_id, kind, subject)
SELECT revoked_at, account_id, 'key_revoked', id::text FROM api_keys WHERE revoked_at IS NOT NULL ORDER BY revoked_at;

-- Everything that ever happened to an account, credits too.
CREATE VIEW account_events AS
  SELECT at, account_id, kind, subject, detail FROM events
  UNION ALL
  SELECT at, account_id, 'credits_' || kind, id::text, jsonb_strip_nulls(jsonb_build_object(
    'credits', delta, 'key_id', key_id, 'endpoint', endpoint, 'request_id', request_id, 'ref', ref, 'note', note
  ))
  FROM ledger;
