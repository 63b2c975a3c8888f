CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'entries of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- One revision of the file of a series or a market and a day. The object is stored before its entry.
CREATE TABLE files (
  id text PRIMARY KEY,
  subject text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('series', 'market')),
  day_at timestamptz NOT NULL,
  revision integer NOT NULL CHECK (revision >= 1),
  venue text NOT NULL,
  category text NOT NULL,
  coin text NOT NULL,
  timeframe text NOT NULL,
  market_ids text[] NOT NULL,
  -- Finished corrections of hours of the day that the rows include.
  corrections integer NOT NULL,
  row_count bigint NOT NULL CHECK (row_count > 0),
  byte_count bigint NOT NULL CHECK (byte_count > 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  gaps jsonb NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (subject, day_at, revision)
);
CREATE INDEX files_by_day ON files (day_at, id);
CREATE INDEX files_by_time ON files (made_at);
CREATE INDEX files_by_market ON files USING gin (market_ids);
CREATE TRIGGER files_never_change BEFORE UPDATE OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER files_are_never_emptied BEFORE TRUNCATE ON files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Days of which every file was made; later only corrections make new revisions.
CREATE TABLE file_days (
  day_at timestamptz PRIMARY KEY,
  finished_at timestamptz NOT NULL DEFAULT now()
);

-- Whether an account has bought a file at any time; every range of a file that is read asks it.
CREATE INDEX ledger_held ON ledger (account_id, substr(idem, 17)) WHERE idem LIKE 'held:%';
