-- The list of open reviews reads the newest events of each subject, however many there are.
DROP INDEX payment_events_invoice;
DROP INDEX payment_events_order;
CREATE INDEX payment_events_invoice ON payment_events (provider, external_id, id);
CREATE INDEX payment_events_order ON payment_events (provider, order_id, id);
CREATE INDEX payment_reviews_open ON payment_reviews (id) WHERE resolved_at IS NULL;
