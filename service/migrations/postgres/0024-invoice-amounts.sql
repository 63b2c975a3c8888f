-- What the processor asks the payer for and what has come, as it said last. Amounts are decimal numbers in coins, which
-- may have more digits than a number of this database keeps by default.
ALTER TABLE invoices
  ADD COLUMN asked_currency text,
  ADD COLUMN amount_due text,
  ADD COLUMN amount_received text,
  ADD COLUMN pay_address text,
  ADD COLUMN pay_memo text,
  ADD COLUMN payment_uri text;
