CREATE TABLE IF NOT EXISTS {{local perp_trades}} {{on cluster}}
(
    {{columns perp_trades 1}}
)
ENGINE = {{engine ReplacingMergeTree}}
PARTITION BY toYYYYMMDD(traded_at)
ORDER BY (venue, symbol, traded_at, trade_id)
SETTINGS {{settings}};

{{distributed perp_trades cityHash64(venue, symbol)}};
