-- Token ids have 77 digits and are text, so that no reader rounds them.
CREATE TABLE IF NOT EXISTS {{local market_facts}} {{on cluster}}
(
    market_id FixedString(32),
    venue LowCardinality(String),
    up_token_id String,
    down_token_id String,
    category LowCardinality(String),
    subcategory LowCardinality(String),
    timeframe LowCardinality(String),
    coin LowCardinality(String),
    slug String,
    question String,
    interval_ms UInt32,
    starts_at DateTime64(3, 'UTC'),
    ends_at DateTime64(3, 'UTC'),
    told_at DateTime64(3, 'UTC')
)
ENGINE = {{engine ReplacingMergeTree told_at}}
ORDER BY market_id
SETTINGS {{settings}};

{{distributed market_facts cityHash64(market_id)}};
