CREATE TABLE IF NOT EXISTS {{local perp_snapshots}} {{on cluster}}
(
    {{columns perp_snapshots 1}}
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toYYYYMMDD(slot_at)
ORDER BY (venue, symbol, slot)
SETTINGS {{settings}};

{{distributed perp_snapshots cityHash64(venue, symbol)}};
