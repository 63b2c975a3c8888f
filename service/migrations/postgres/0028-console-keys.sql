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

-- Keys as logins of roles see them: with a hash, whoever reads it could give the secret of one key to another.
CREATE VIEW hashless_keys AS
  SELECT id, account_id, is_console, preview, label, scopes, expires_at, credit_limit, spent_month, spent, created_at,
    last_used_at, revoked_at, secret_number, former_until
  FROM api_keys;

-- With the hashes, for whoever knows one of them.
CREATE FUNCTION find_keys(hashes bytea[]) RETURNS SETOF api_keys LANGUAGE sql STABLE AS $$
  SELECT * FROM api_keys WHERE hash = ANY(hashes) OR former_hash = ANY(hashes)
$$;

-- No row: the account has as many working keys as its tier allows.
CREATE FUNCTION issue_key(
  of_account uuid, new_hash bytea, new_pepper_id text, new_preview text, new_label text, new_scopes text[],
  ends_at timestamptz, new_limit bigint
) RETURNS SETOF hashless_keys LANGUAGE plpgsql AS $$
DECLARE
  held accounts;
  issued uuid;
BEGIN
  -- The lock keeps the count valid until the insert.
  SELECT * INTO held FROM accounts WHERE id = of_account FOR NO KEY UPDATE;
  IF (
    SELECT count(*) FROM api_keys
    WHERE account_id = of_account AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND NOT is_console
  ) < (SELECT max_keys FROM tiers WHERE tier = tier_of(held)) THEN
    INSERT INTO api_keys (account_id, hash, pepper_id, preview, label, scopes, expires_at, credit_limit)
    VALUES (of_account, new_hash, new_pepper_id, new_preview, new_label, new_scopes, ends_at, new_limit)
    RETURNING id INTO issued;
    RETURN QUERY SELECT * FROM hashless_keys WHERE id = issued;
  END IF;
END
$$;

-- Changes the members that `changes` names; null removes an end or a limit. No row: the account has no such working key.
-- An expired key stays expired: it would count for the limit of keys again.
CREATE FUNCTION change_key(of_account uuid, of_key uuid, changes jsonb) RETURNS SETOF hashless_keys LANGUAGE sql AS $$
  UPDATE hashless_keys SET
    label = CASE WHEN changes ? 'label' THEN changes ->> 'label' ELSE label END,
    expires_at = CASE WHEN changes ? 'expires_at' THEN (changes ->> 'expires_at')::timestamptz ELSE expires_at END,
    credit_limit = CASE WHEN changes ? 'credit_limit' THEN (changes ->> 'credit_limit')::bigint ELSE credit_limit END
  WHERE id = of_key AND account_id = of_account AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    AND NOT is_console
  RETURNING *
$$;

-- Gives a key another secret; the former one goes on working for a while. No row: the account has no such working key, or
-- a former secret still works, which only a rotation without overlap ends.
CREATE FUNCTION rotate_key(
  of_account uuid, of_key uuid, new_hash bytea, new_pepper_id text, new_preview text, overlap_seconds integer
) RETURNS SETOF hashless_keys LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_keys SET
    former_hash = hash, former_pepper_id = pepper_id,
    former_until = now() + make_interval(secs => least(overlap_seconds, 86400)),
    hash = new_hash, pepper_id = new_pepper_id, preview = new_preview, secret_number = secret_number + 1
  WHERE id = of_key AND account_id = of_account AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    AND NOT is_console AND (overlap_seconds = 0 OR former_until IS NULL OR former_until <= now());
  IF FOUND THEN
    RETURN QUERY SELECT * FROM hashless_keys WHERE id = of_key;
  END IF;
END
$$;

-- Replaces the hash of one secret by one with a newer pepper. The secret may have been rotated meanwhile: whoever does not
-- know its hash changes nothing.
CREATE FUNCTION rehash_key(of_key uuid, old_hash bytea, new_hash bytea, new_pepper_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE api_keys SET former_hash = new_hash, former_pepper_id = new_pepper_id
  WHERE id = of_key AND former_hash = old_hash AND revoked_at IS NULL;
  UPDATE api_keys SET hash = new_hash, pepper_id = new_pepper_id
  WHERE id = of_key AND hash = old_hash AND revoked_at IS NULL;
$$;

-- Null removes the limit.
CREATE FUNCTION limit_console_key(of_account uuid, new_limit bigint) RETURNS SETOF hashless_keys LANGUAGE sql AS $$
  UPDATE hashless_keys SET credit_limit = new_limit
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
