-- The markets of a day that have the most slots missing or in doubt; null for hours, and for days counted before.
ALTER TABLE coverage_parts ADD COLUMN worst jsonb;
