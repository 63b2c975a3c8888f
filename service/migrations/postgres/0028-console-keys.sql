-- The console acts for a signed-in person with a key of its own, which has no secret: no presented key can match it.
ALTER TABLE api_keys
  ADD COLUMN is_console boolean NOT NULL DEFAULT false,
  ALTER COLUMN hash DROP NOT NULL,
  ALTER COLUMN pepper_id DROP NOT NULL,
  ADD CONSTRAINT api_keys_secret CHECK ((hash IS NULL) = is_console AND (pepper_id IS NULL) = is_console);
CREATE UNIQUE INDEX api_keys_console ON api_keys (account_id) WHERE is_console;

-- Every account with a person has one. 1,000 credits a month, so that a page with a defect can't spend everything.
CREATE FUNCTION make_console_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO api_keys (account_id, is_console, preview, label, scopes, credit_limit)
  VALUES (NEW.account_id, true, '', 'Console', '{live,history,stream}', 1000)
  ON CONFLICT (account_id) WHERE is_console DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER people_make_console_key AFTER INSERT ON people
  FOR EACH ROW EXECUTE FUNCTION make_console_key();

INSERT INTO api_keys (account_id, is_console, preview, label, scopes, credit_limit)
SELECT DISTINCT account_id, true, '', 'Console', ARRAY['live', 'history', 'stream'], 1000 FROM people;

CREATE OR REPLACE FUNCTION change_key(of_account uuid, of_key uuid, changes jsonb) RETURNS SETOF api_keys LANGUAGE sql AS $$
  UPDATE api_keys SET
    label = CASE WHEN changes ? 'label' THEN changes ->> 'label' ELSE label END,
    expires_at = CASE WHEN changes ? 'expires_at' THEN (changes ->> 'expires_at')::timestamptz ELSE expires_at END,
    credit_limit = CASE WHEN changes ? 'credit_limit' THEN (changes ->> 'credit_limit')::bigint ELSE credit_limit END
  WHERE id = of_key AND account_id = of_account AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    AND NOT is_console
  RETURNING *
$$;

CREATE OR REPLACE FUNCTION rotate_key(
  of_account uuid, of_key uuid, new_hash bytea, new_pepper_id text, new_preview text, overlap_seconds integer
) RETURNS SETOF api_keys LANGUAGE sql AS $$
  UPDATE api_keys SET
    former_hash = hash, former_pepper_id = pepper_id,
    former_until = now() + make_interval(secs => least(overlap_seconds, 86400)),
    hash = new_hash, pepper_id = new_pepper_id, preview = new_preview, secret_number = secret_number + 1
  WHERE id = of_key AND account_id = of_account AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    AND NOT is_console
  RETURNING *
$$;

-- Null removes the limit.
CREATE FUNCTION limit_console_key(of_account uuid, new_limit bigint) RETURNS SETOF api_keys LANGUAGE sql AS $$
  UPDATE api_keys SET credit_limit = new_limit
  WHERE account_id = of_account AND is_console AND revoked_at IS NULL
  RETURNING *
$$;

-- A node of an older version would let people revoke it, and nothing makes it again. An erased account is renamed first.
CREATE FUNCTION keep_console_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NULL;
END
$$;
CREATE TRIGGER api_keys_keep_console BEFORE UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.is_console AND NEW.revoked_at IS NOT NULL AND OLD.label <> 'erased')
  EXECUTE FUNCTION keep_console_key();
