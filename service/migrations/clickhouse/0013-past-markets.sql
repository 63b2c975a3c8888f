-- One row per market that is no longer recorded, newest first, so that a page of the history reads only its own rows.
-- A row never changes: its key includes its content. A row that does not hold any more is written again as deleted.
CREATE TABLE IF NOT EXISTS {{local past_markets}} {{on cluster}}
(
    -- Milliseconds from the first slot to the end of the year 9999: ascending is newest first.
    place UInt64 MATERIALIZED 253402300799999 - first_slot * interval_ms,
    market_id FixedString(32),
    content UInt64 MATERIALIZED cityHash64(last_slot, row_count, venue, category, subcategory, timeframe, slug, question, ends_at),
    interval_ms UInt32,
    first_slot UInt64,
    last_slot UInt64,
    row_count UInt64,
    venue LowCardinality(String),
    category LowCardinality(String),
    subcategory LowCardinality(String),
    timeframe LowCardinality(String),
    slug String,
    question String,
    ends_at DateTime64(3, 'UTC'),
    is_deleted UInt8,
    written_at DateTime64(6, 'UTC') DEFAULT now64(6),
    last_at DateTime64(3, 'UTC') MATERIALIZED fromUnixTimestamp64Milli(toInt64(last_slot * interval_ms), 'UTC'),
    is_complete UInt8 MATERIALIZED row_count > last_slot - first_slot,
    series LowCardinality(String) MATERIALIZED concat(venue, '/', category, '/', subcategory, '/', timeframe),
    words String MATERIALIZED lowerUTF8(concat(question, ' ', slug, ' ', subcategory)),
    INDEX of_id market_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX of_series series TYPE set(0) GRANULARITY 1,
    INDEX of_complete is_complete TYPE set(2) GRANULARITY 1,
    INDEX of_last last_at TYPE minmax GRANULARITY 1,
    INDEX of_words words TYPE ngrambf_v1(3, 8192, 3, 0) GRANULARITY 1
)
ENGINE = {{engine ReplacingMergeTree written_at}}
ORDER BY (place, market_id, content)
SETTINGS {{settings}};

{{distributed past_markets cityHash64(market_id)}};

-- Up to which day the markets are in the table, from which day on their rows are kept, and how many there are. The newest
-- row counts.
CREATE TABLE IF NOT EXISTS {{local past_state}} {{on cluster}}
(
    kept_to Date,
    kept_from Date,
    -- Markets that were changed up to this time are counted again.
    changes_to DateTime64(6, 'UTC'),
    -- Venue, category, subcategory, timeframe, whether no slot is missing, markets, rows.
    counts Array(Tuple(String, String, String, String, UInt8, UInt64, UInt64)),
    changed_at DateTime64(6, 'UTC') DEFAULT now64(6)
)
ENGINE = {{engine ReplacingMergeTree changed_at}}
ORDER BY kept_to
SETTINGS {{settings}};

{{distributed past_state 0}};

-- Markets whose rows or listing were stored days late, or corrected.
CREATE TABLE IF NOT EXISTS {{local changed_markets}} {{on cluster}}
(
    market_id FixedString(32),
    changed_at DateTime64(6, 'UTC') DEFAULT now64(6)
)
ENGINE = {{engine ReplacingMergeTree changed_at}}
ORDER BY market_id
SETTINGS {{settings}};

{{distributed changed_markets cityHash64(market_id)}};

CREATE MATERIALIZED VIEW IF NOT EXISTS changed_days_feed {{on cluster}} TO {{local changed_markets}} AS
SELECT DISTINCT market_id FROM {{local market_days}} WHERE day < toDate(now('UTC')) - 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS changed_facts_feed {{on cluster}} TO {{local changed_markets}} AS
SELECT DISTINCT market_id FROM {{local market_facts}} WHERE ends_at < now('UTC') - INTERVAL 1 DAY;
