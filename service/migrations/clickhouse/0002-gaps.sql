-- A gap that grows is told again from the same start; the furthest end stays.
CREATE TABLE IF NOT EXISTS {{local gaps}} {{on cluster}}
(
    {{columns gaps 1}}
)
ENGINE = {{engine ReplacingMergeTree to_slot}}
PARTITION BY toYYYYMM(from_at)
ORDER BY (market_id, from_slot, cause, kind)
SETTINGS {{settings}};

{{distributed gaps cityHash64(market_id)}};
