-- Markets of one event of a venue.
CREATE INDEX markets_event ON markets (venue, event_slug, ends_at, id);
