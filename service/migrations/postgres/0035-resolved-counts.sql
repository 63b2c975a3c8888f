-- How many of the listed markets are resolved, so that no request counts them. Statements add what they changed; a market
-- may be listed before or after its resolution is told, and each of them may be deleted first.
CREATE TABLE resolved_counts (
  venue text NOT NULL,
  category text NOT NULL,
  subcategory text NOT NULL,
  timeframe text NOT NULL,
  markets bigint NOT NULL,
  PRIMARY KEY (venue, category, subcategory, timeframe)
);

INSERT INTO resolved_counts
SELECT venue, category, subcategory, timeframe, count(*)
FROM markets JOIN resolutions ON resolutions.market_id = markets.id
GROUP BY venue, category, subcategory, timeframe;

CREATE FUNCTION count_resolutions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO resolved_counts AS counts (venue, category, subcategory, timeframe, markets)
  SELECT venue, category, subcategory, timeframe, TG_ARGV[0]::int * count(*)
  FROM changed JOIN markets ON markets.id = changed.market_id
  GROUP BY venue, category, subcategory, timeframe
  -- Two statements that lock the same counts in different orders would deadlock.
  ORDER BY venue, category, subcategory, timeframe
  ON CONFLICT (venue, category, subcategory, timeframe)
    DO UPDATE SET markets = counts.markets + excluded.markets;
  RETURN NULL;
END
$$;

CREATE FUNCTION count_resolved_markets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO resolved_counts AS counts (venue, category, subcategory, timeframe, markets)
  SELECT venue, category, subcategory, timeframe, TG_ARGV[0]::int * count(*)
  FROM changed JOIN resolutions ON resolutions.market_id = changed.id
  GROUP BY venue, category, subcategory, timeframe
  ORDER BY venue, category, subcategory, timeframe
  ON CONFLICT (venue, category, subcategory, timeframe)
    DO UPDATE SET markets = counts.markets + excluded.markets;
  RETURN NULL;
END
$$;

-- A listing is updated often, and the members that are counted hardly ever change.
CREATE FUNCTION move_resolved_markets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO resolved_counts AS counts (venue, category, subcategory, timeframe, markets)
  SELECT moved.venue, moved.category, moved.subcategory, moved.timeframe, sum(moved.change)
  FROM (
    SELECT former.id, part.*
    FROM former JOIN newer USING (id)
      CROSS JOIN LATERAL (VALUES
        (former.venue, former.category, former.subcategory, former.timeframe, -1),
        (newer.venue, newer.category, newer.subcategory, newer.timeframe, 1)
      ) AS part (venue, category, subcategory, timeframe, change)
    WHERE (former.venue, former.category, former.subcategory, former.timeframe)
      <> (newer.venue, newer.category, newer.subcategory, newer.timeframe)
  ) AS moved JOIN resolutions ON resolutions.market_id = moved.id
  GROUP BY moved.venue, moved.category, moved.subcategory, moved.timeframe
  ORDER BY moved.venue, moved.category, moved.subcategory, moved.timeframe
  ON CONFLICT (venue, category, subcategory, timeframe)
    DO UPDATE SET markets = counts.markets + excluded.markets;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_new_resolutions AFTER INSERT ON resolutions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_resolutions('1');
CREATE TRIGGER count_deleted_resolutions AFTER DELETE ON resolutions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_resolutions('-1');
CREATE TRIGGER count_new_markets AFTER INSERT ON markets
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_resolved_markets('1');
CREATE TRIGGER count_deleted_markets AFTER DELETE ON markets
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_resolved_markets('-1');
CREATE TRIGGER count_moved_markets AFTER UPDATE ON markets
  REFERENCING OLD TABLE AS former NEW TABLE AS newer FOR EACH STATEMENT EXECUTE FUNCTION move_resolved_markets();
