-- What a human decided about it; empty for what came right by itself.
ALTER TABLE payment_reviews ADD COLUMN resolution text;
