-- One letter for each probe slot of ten seconds: o ok, g degraded, d down, - no probe.
CREATE TABLE probe_hours (
  hour_at timestamptz(3) NOT NULL,
  service text NOT NULL,
  letters text NOT NULL CHECK (length(letters) = 360 AND letters ~ '^[ogd-]+$'),
  PRIMARY KEY (hour_at, service)
);

INSERT INTO probe_hours (hour_at, service, letters)
SELECT hour_at, hours.service,
  string_agg(CASE state WHEN 'ok' THEN 'o' WHEN 'degraded' THEN 'g' WHEN 'down' THEN 'd' ELSE '-' END, '' ORDER BY slot)
FROM (SELECT DISTINCT service, date_trunc('hour', slot_at, 'UTC') AS hour_at FROM probes) AS hours
  CROSS JOIN generate_series(0, 359) AS slot
  LEFT JOIN probes ON probes.service = hours.service AND probes.slot_at = hour_at + slot * interval '10 seconds'
GROUP BY hour_at, hours.service;

-- Version 0.6 still writes probes, incidents and uptime_days; they stay until no process of it can run.
