-- Only states that a repeated insert leaves as they are: smallest, largest, set of slots. A count would double.
CREATE TABLE IF NOT EXISTS {{local market_days}} {{on cluster}}
(
    market_id FixedString(32),
    day Date,
    interval_ms UInt32,
    first_slot SimpleAggregateFunction(min, UInt64),
    last_slot SimpleAggregateFunction(max, UInt64),
    day_slots AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {{engine AggregatingMergeTree}}
PARTITION BY toYYYYMM(day)
ORDER BY (market_id, day, interval_ms)
SETTINGS {{settings}};

{{distributed market_days cityHash64(market_id)}};

CREATE MATERIALIZED VIEW IF NOT EXISTS market_days_feed {{on cluster}} TO {{local market_days}} AS
SELECT
    market_id,
    toDate(slot_at) AS day,
    interval_ms,
    min(slot) AS first_slot,
    max(slot) AS last_slot,
    groupBitmapState(toUInt32(intDiv(toUnixTimestamp64Milli(slot_at) % 86400000, interval_ms))) AS day_slots
FROM {{local snapshots}}
GROUP BY market_id, day, interval_ms;
