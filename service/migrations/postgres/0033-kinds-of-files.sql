-- Files of everything that is recorded. A file of gaps may have no row: it says that nothing is missing.
ALTER TABLE files
  DROP CONSTRAINT files_kind_check,
  ADD CONSTRAINT files_kind_check CHECK (
    kind IN ('series', 'market', 'trades', 'perp_books', 'perp_trades', 'perp_contexts', 'prices', 'gaps')
  ),
  DROP CONSTRAINT files_row_count_check,
  ADD CONSTRAINT files_row_count_check CHECK (row_count > 0 OR (row_count = 0 AND kind = 'gaps'));

-- With which list of kinds the files of the day were made; a later list has more, and the day is completed.
ALTER TABLE file_days
  ADD COLUMN kinds integer NOT NULL DEFAULT 1,
  DROP CONSTRAINT file_days_pkey,
  ADD PRIMARY KEY (day_at, kinds);
