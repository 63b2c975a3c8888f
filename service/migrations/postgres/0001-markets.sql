-- What can be recorded: one enabled configuration of a category.
CREATE TABLE category_plans (
  id text PRIMARY KEY,
  category text NOT NULL,
  display_name text NOT NULL,
  capture_interval_ms integer NOT NULL CHECK (capture_interval_ms >= 100),
  refresh_interval_ms integer NOT NULL CHECK (refresh_interval_ms >= 1000),
  is_enabled boolean NOT NULL DEFAULT true,
  -- In this order they are listed.
  rank integer NOT NULL
);

-- What was seen: the newest sighting of each market, and when the first and the last were.
CREATE TABLE markets (
  id text PRIMARY KEY,
  venue text NOT NULL,
  category text NOT NULL,
  subcategory text NOT NULL,
  timeframe text NOT NULL,
  up_token_id text NOT NULL,
  down_token_id text NOT NULL,
  up_outcome_name text NOT NULL,
  down_outcome_name text NOT NULL,
  slug text NOT NULL,
  question text NOT NULL,
  label text NOT NULL,
  event_slug text NOT NULL,
  event_title text NOT NULL,
  neg_risk boolean NOT NULL,
  neg_risk_id text,
  min_order_size text NOT NULL,
  version text NOT NULL CHECK (version IN ('v1', 'v2')),
  starts_at timestamptz(3),
  ends_at timestamptz(3) NOT NULL,
  plan_id text NOT NULL,
  capture_interval_ms integer NOT NULL CHECK (capture_interval_ms >= 100),
  first_seen_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  -- Decides between two different sightings of the same millisecond, the same way whichever came first.
  fingerprint text NOT NULL
);

CREATE INDEX markets_ends_at ON markets (ends_at, id);
CREATE INDEX markets_series ON markets (category, subcategory, timeframe, ends_at);
CREATE INDEX markets_slug ON markets (slug);
CREATE INDEX markets_up_token_id ON markets (up_token_id);
CREATE INDEX markets_down_token_id ON markets (down_token_id);

-- Slots are numbered by the interval, so a market that changed it would number its history twice.
CREATE FUNCTION refuse_another_capture_interval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'market % keeps its capture interval of % ms for life', OLD.id, OLD.capture_interval_ms
    USING ERRCODE = 'check_violation', CONSTRAINT = 'markets_capture_interval_for_life';
END
$$;

CREATE TRIGGER markets_capture_interval_for_life BEFORE UPDATE ON markets
  FOR EACH ROW WHEN (OLD.capture_interval_ms IS DISTINCT FROM NEW.capture_interval_ms)
  EXECUTE FUNCTION refuse_another_capture_interval();

-- How markets ended. Not bound to markets: a resolution may be told before the market was seen.
CREATE TABLE resolutions (
  market_id text PRIMARY KEY,
  -- The outcome that came true; null when it was split.
  winner smallint CHECK (winner IN (0, 1)),
  resolved_at timestamptz(3) NOT NULL
);
