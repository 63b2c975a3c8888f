-- For how many days the rows of a table are kept, as `prepare` last applied it; 0: for ever. Counts leave out days that
-- are no longer kept, because ClickHouse deletes them some time later.
CREATE TABLE IF NOT EXISTS retention {{on cluster}}
(
    table_name LowCardinality(String),
    days UInt32,
    set_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{engine ReplacingMergeTree set_at}}
ORDER BY table_name
SETTINGS {{settings}};
