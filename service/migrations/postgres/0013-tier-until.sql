-- When the tier of tier_of ends or gives way to months that wait. Null: it does not end.
CREATE FUNCTION tier_until(account accounts) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN account.tier_expires_at <= now() THEN (
    SELECT min(waiting.until) FROM (
      SELECT account.tier_expires_at + in_ms(sum(sum(left_ms)) OVER (ORDER BY tier_rank(paid_months.tier) DESC)) AS until
      FROM paid_months
      WHERE account_id = account.id AND (account.months_from IS NULL OR paid_months.tier <> account.tier)
      GROUP BY paid_months.tier
    ) AS waiting
    WHERE waiting.until > now()
  ) ELSE account.tier_expires_at END
$$;
