-- The public keys of all signatures.
CREATE TABLE manifest_keys (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{16}$'),
  public_key text NOT NULL,
  first_used_at timestamptz NOT NULL DEFAULT now()
);

-- One entry for each hour in which files were made: the root of their hashes, signed, and the hash of the entry before.
CREATE TABLE manifests (
  number integer PRIMARY KEY CHECK (number >= 1),
  hour_at timestamptz NOT NULL,
  file_count integer NOT NULL CHECK (file_count >= 1),
  root text NOT NULL CHECK (root ~ '^[0-9a-f]{64}$'),
  previous text NOT NULL CHECK (previous ~ '^[0-9a-f]{64}$'),
  hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
  key_id text NOT NULL REFERENCES manifest_keys,
  signature text NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);

-- The place of a file among the leaves of its entry.
CREATE TABLE manifest_files (
  file_id text PRIMARY KEY REFERENCES files,
  number integer NOT NULL REFERENCES manifests,
  leaf_index integer NOT NULL CHECK (leaf_index >= 0),
  leaf text NOT NULL CHECK (leaf ~ '^[0-9a-f]{64}$'),
  UNIQUE (number, leaf_index)
);

CREATE FUNCTION require_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last manifests;
BEGIN
  SELECT * INTO last FROM manifests ORDER BY number DESC LIMIT 1;
  IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.previous <> coalesce(last.hash, repeat('0', 64)) THEN
    RAISE EXCEPTION 'an entry follows the last one' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER manifests_are_a_chain BEFORE INSERT ON manifests FOR EACH ROW EXECUTE FUNCTION require_chain();
CREATE TRIGGER manifests_never_change BEFORE UPDATE OR DELETE ON manifests
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER manifests_are_never_emptied BEFORE TRUNCATE ON manifests
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER manifest_files_never_change BEFORE UPDATE OR DELETE ON manifest_files
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER manifest_files_are_never_emptied BEFORE TRUNCATE ON manifest_files
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER manifest_keys_never_change BEFORE UPDATE OR DELETE ON manifest_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
