-- Equal fills of one frame are several trades, so their number belongs to the key. A key takes only columns that are
-- added in the same statement, without a default.
ALTER TABLE {{local trades}} {{on cluster}}
    ADD COLUMN IF NOT EXISTS occurrence UInt8,
    MODIFY ORDER BY (market_id, traded_at, transaction_hash, outcome, is_buy, price, size, occurrence);

{{add columns trades 2}};
