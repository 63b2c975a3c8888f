-- A key can get another secret; the former one goes on working until `former_until`. There is at most one former secret.
ALTER TABLE api_keys
  -- Tells the secrets of a key apart: open streams remember it.
  ADD COLUMN secret_number integer NOT NULL DEFAULT 1,
  ADD COLUMN former_hash bytea UNIQUE CHECK (octet_length(former_hash) = 32),
  ADD COLUMN former_pepper_id text,
  ADD COLUMN former_until timestamptz(3);

ALTER TABLE events DROP CONSTRAINT events_kind_check, ADD CONSTRAINT events_kind_check CHECK (
  kind IN (
    'account_made', 'tier_changed', 'key_made', 'key_changed', 'key_rotated', 'key_revoked', 'session_started',
    'session_ended', 'account_erased'
  )
);

CREATE OR REPLACE FUNCTION note_key_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (account_id, kind, subject, detail)
  VALUES (NEW.account_id, TG_ARGV[0], NEW.id::text, jsonb_strip_nulls(jsonb_build_object(
    'label', NEW.label, 'preview', NEW.preview, 'scopes', NEW.scopes, 'expires_at', NEW.expires_at,
    'credit_limit', NEW.credit_limit, 'former_secret_until', CASE TG_ARGV[0] WHEN 'key_rotated' THEN NEW.former_until END
  )));
  RETURN NULL;
END
$$;

-- Only `change_key` sets the limit. An erased account changes labels without it, and has an event of its own.
CREATE TRIGGER api_keys_note_changed AFTER UPDATE OF credit_limit ON api_keys
  FOR EACH ROW WHEN (
    (OLD.label, OLD.expires_at, OLD.credit_limit) IS DISTINCT FROM (NEW.label, NEW.expires_at, NEW.credit_limit)
  )
  EXECUTE FUNCTION note_key_event('key_changed');
CREATE TRIGGER api_keys_note_rotated AFTER UPDATE ON api_keys
  FOR EACH ROW WHEN (OLD.secret_number <> NEW.secret_number) EXECUTE FUNCTION note_key_event('key_rotated');

DROP TRIGGER api_keys_tell_revocation ON api_keys;
CREATE TRIGGER api_keys_tell_change AFTER UPDATE ON api_keys
  FOR EACH ROW WHEN (
    (OLD.revoked_at, OLD.expires_at, OLD.label, OLD.secret_number)
      IS DISTINCT FROM (NEW.revoked_at, NEW.expires_at, NEW.label, NEW.secret_number)
  )
  EXECUTE FUNCTION tell_access_change('key');
