CREATE TABLE IF NOT EXISTS {{local prices}} {{on cluster}}
(
    {{columns prices 1}}
)
ENGINE = {{engine ReplacingMergeTree received_at}}
PARTITION BY toYYYYMMDD(price_at)
ORDER BY (source, coin, price_at)
SETTINGS {{settings}};

{{distributed prices cityHash64(source, coin)}};
