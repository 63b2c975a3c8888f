-- When a refund was first seen; null for refunds before this column.
ALTER TABLE invoices ADD COLUMN refunded_at timestamptz(3);
