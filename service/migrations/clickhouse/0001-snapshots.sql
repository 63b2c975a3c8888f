-- One row per market and slot. A repeat of a row replaces itself; copies meet because they share day and key.
CREATE TABLE IF NOT EXISTS {{local snapshots}} {{on cluster}}
(
    {{columns snapshots 1}}
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toYYYYMMDD(slot_at)
ORDER BY (market_id, slot)
SETTINGS {{settings}};

{{distributed snapshots cityHash64(market_id)}};
