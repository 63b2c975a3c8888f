-- What the account had after each entry, so that a page of the history needs no sum over everything before it.
ALTER TABLE ledger ADD COLUMN balance_after bigint;

SELECT set_config('bookreel.erasing', 'yes', true);
UPDATE ledger SET balance_after = summed.balance FROM (
  SELECT account_id, id, sum(delta) OVER (PARTITION BY account_id ORDER BY id) AS balance FROM ledger
) AS summed
WHERE ledger.account_id = summed.account_id AND ledger.id = summed.id;
SELECT set_config('bookreel.erasing', '', true);

-- The lock on the account comes first: then numbers of entries have the order of their balances.
CREATE FUNCTION place_in_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT balance + NEW.delta INTO NEW.balance_after FROM accounts WHERE id = NEW.account_id FOR NO KEY UPDATE;
  NEW.id := nextval('ledger_ids');
  RETURN NEW;
END
$$;

CREATE TRIGGER ledger_places_entry BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION place_in_ledger();
