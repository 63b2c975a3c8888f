-- Who signs in, as the identity provider names them. One account each, made at their first sign-in.
CREATE TABLE people (
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts (id),
  email text,
  name text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);

CREATE INDEX people_account ON people (account_id);

-- The account of whoever signs in, with this month's credits. Two sign-ins at once make one account: the second waits.
CREATE FUNCTION sign_in_person(
  by_issuer text, with_subject text, with_email text, with_name text, account_name text, free_credits bigint,
  OUT of_account uuid, OUT is_first boolean
) LANGUAGE plpgsql AS $$
BEGIN
  is_first := false;
  UPDATE people SET last_sign_in_at = now(), email = with_email, name = with_name
  WHERE issuer = by_issuer AND subject = with_subject RETURNING account_id INTO of_account;
  IF NOT FOUND THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(format('person %s %s', by_issuer, with_subject), 0));
    SELECT account_id INTO of_account FROM people WHERE issuer = by_issuer AND subject = with_subject;
  END IF;
  IF of_account IS NULL THEN
    is_first := true;
    INSERT INTO accounts (name) VALUES (account_name) RETURNING id INTO of_account;
    INSERT INTO people (issuer, subject, account_id, email, name)
    VALUES (by_issuer, with_subject, of_account, with_email, with_name);
  END IF;
  PERFORM settle_grants(of_account, free_credits);
END
$$;
