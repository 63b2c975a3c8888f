-- Calls that were refused or failed, for each key, endpoint, error code and day (UTC). The processes that refuse them
-- count them, as they count served calls.
CREATE TABLE refused_days (
  account_id uuid NOT NULL REFERENCES accounts (id),
  day date NOT NULL,
  key_id uuid NOT NULL REFERENCES api_keys (id),
  endpoint text NOT NULL,
  code text NOT NULL,
  calls bigint NOT NULL CHECK (calls > 0),
  CONSTRAINT refused_days_key PRIMARY KEY (account_id, day, key_id, endpoint, code)
);
