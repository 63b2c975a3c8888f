-- What was ever probed, since when, and up to which day its probes are summed up.
CREATE TABLE probed_services (
  service text PRIMARY KEY,
  first_at timestamptz(3) NOT NULL,
  counted_until date
);

-- One for each service and ten seconds, from outside. A missing one counts as down.
CREATE TABLE probes (
  service text NOT NULL REFERENCES probed_services (service),
  slot_at timestamptz(3) NOT NULL,
  state text NOT NULL CHECK (state IN ('ok', 'degraded', 'down')),
  PRIMARY KEY (service, slot_at)
);

CREATE INDEX probes_age ON probes (slot_at);

-- Days that are over.
CREATE TABLE uptime_days (
  service text NOT NULL REFERENCES probed_services (service),
  day date NOT NULL,
  expected integer NOT NULL CHECK (expected >= 0),
  up integer NOT NULL CHECK (up BETWEEN 0 AND expected),
  incidents integer NOT NULL CHECK (incidents >= 0),
  PRIMARY KEY (service, day)
);
