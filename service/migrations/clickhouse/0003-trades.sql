-- All but the time of receipt is the key: a trade told twice is one trade.
CREATE TABLE IF NOT EXISTS {{local trades}} {{on cluster}}
(
    {{columns trades 1}}
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toYYYYMMDD(traded_at)
ORDER BY (market_id, traded_at, transaction_hash, outcome, is_buy, price, size)
SETTINGS {{settings}};

{{distributed trades cityHash64(market_id)}};
