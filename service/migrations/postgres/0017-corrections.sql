-- Rows of a finished hour that were produced again and differ. Without an entry the revision of an hour is 1.
CREATE TABLE corrections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  market_id text NOT NULL,
  hour_at timestamptz NOT NULL,
  revision integer NOT NULL CHECK (revision >= 2),
  reason text NOT NULL,
  rows_changed integer NOT NULL,
  gaps_changed integer NOT NULL,
  trades_changed integer NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT now(),
  -- Null while rows are being replaced.
  corrected_at timestamptz,
  UNIQUE (market_id, hour_at, revision)
);
CREATE UNIQUE INDEX corrections_unfinished ON corrections (market_id, hour_at) WHERE corrected_at IS NULL;
CREATE INDEX corrections_by_time ON corrections (corrected_at, id);
