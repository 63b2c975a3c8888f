CREATE TABLE IF NOT EXISTS {{local perp_contexts}} {{on cluster}}
(
    {{columns perp_contexts 1}}
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toYYYYMMDD(received_at)
ORDER BY (venue, symbol, received_at)
SETTINGS {{settings}};

{{distributed perp_contexts cityHash64(venue, symbol)}};
