-- Markets of one event of a venue.
CREATE INDEX markets_event ON markets (venue, event_slug, ends_at, id);

-- Finished hours that everybody may look at. An operator makes them; at most three, so that strangers can only ask for
-- a few megabytes. They hold their own bytes: a sample stays the same when rows are corrected or no longer kept.
CREATE TABLE samples (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9-]{1,120}$'),
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  facts jsonb NOT NULL,
  snapshots text NOT NULL CHECK (octet_length(snapshots) <= 4000000),
  parquet bytea NOT NULL CHECK (octet_length(parquet) <= 16000000)
);
