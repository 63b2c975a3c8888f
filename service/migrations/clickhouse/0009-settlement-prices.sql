CREATE TABLE IF NOT EXISTS {{local settlement_prices}} {{on cluster}}
(
    {{columns settlement_prices 1}}
)
ENGINE = {{engine ReplacingMergeTree known_at}}
PARTITION BY toYYYYMM(settles_at)
ORDER BY (market_id, point, source)
SETTINGS {{settings}};

{{distributed settlement_prices cityHash64(market_id)}};
