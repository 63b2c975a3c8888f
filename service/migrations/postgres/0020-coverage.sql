-- How complete all markets of a category were in an hour or a day. The role catalogue counts each day again when more of
-- its hours are finished, a day later, and when one of its hours was corrected.
CREATE TABLE coverage_parts (
  part text NOT NULL CHECK (part IN ('hour', 'day')),
  start_at timestamptz NOT NULL,
  venue text NOT NULL,
  category text NOT NULL,
  market_count integer NOT NULL,
  expected bigint NOT NULL,
  stored bigint NOT NULL,
  suspect bigint NOT NULL,
  causes jsonb NOT NULL,
  PRIMARY KEY (part, start_at, venue, category)
);

CREATE TABLE counted_days (
  day_at timestamptz PRIMARY KEY,
  -- End of the last finished hour that is counted.
  counted_to timestamptz NOT NULL,
  counted_at timestamptz NOT NULL
);
