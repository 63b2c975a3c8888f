-- Times for which a service failed its probes, several in a row.
CREATE TABLE incidents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  service text NOT NULL REFERENCES probed_services (service),
  -- Its first failed probe, and the first good one after it.
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) CHECK (ended_at > started_at),
  -- False: all that is known is that nobody probed.
  was_seen_down boolean NOT NULL,
  UNIQUE (service, started_at)
);

CREATE UNIQUE INDEX incidents_one_open ON incidents (service) WHERE ended_at IS NULL;
CREATE INDEX incidents_time ON incidents (started_at);

-- Up to which slot incidents are told from the probes, and since when the last of them contradict the present state:
-- failed ones while all is well, good ones while there is an incident.
ALTER TABLE probed_services
  ADD COLUMN judged_until timestamptz(3),
  ADD COLUMN turning_since timestamptz(3),
  ADD COLUMN turning_was_seen boolean NOT NULL DEFAULT false;
