import { type RawBuilder, sql } from 'kysely'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

/** One row that breaks a rule. */
export interface AuditFinding {
  /** Id of the row. */
  readonly subject: string
  readonly detail: string
}

export interface AuditCheck {
  readonly name: string
  /** True when the check finds nothing. */
  readonly rule: string
  /** Findings are reported and do not fail the audit. */
  readonly isNote?: true
  readonly find: RawBuilder<AuditFinding>
}

const MAX_KEYS = JSON.stringify(
  Object.fromEntries(Object.entries(TIER_LIMITS).map(([tier, { maxKeys }]) => [tier, maxKeys])),
)
const MAX_REPLAYS = 5

/** Each check is one statement and sees one consistent state, so it can run while the service writes. */
export const AUDIT_CHECKS: readonly AuditCheck[] = [
  {
    name: 'balances',
    rule: 'the balance of an account is the sum of its ledger entries',
    find: sql`
      SELECT accounts.id AS subject, format('balance %s, ledger %s', balance, coalesce(sum(delta), 0)) AS detail
      FROM accounts LEFT JOIN ledger ON ledger.account_id = accounts.id
      GROUP BY accounts.id HAVING balance <> coalesce(sum(delta), 0)`,
  },
  {
    name: 'payments',
    rule: 'every payment in the ledger belongs to a paid invoice and has the credits of its pack',
    find: sql`
      SELECT ledger.id AS subject, format('%s of %s credits, ', idem, delta) || CASE
        WHEN invoices.id IS NULL THEN 'no invoice of this account'
        WHEN paid_at IS NULL THEN format('its invoice is %s', state)
        ELSE format('its invoice is for %s', credits) END AS detail
      FROM ledger LEFT JOIN invoices
        ON idem = format('pay:%s:%s', provider, external_id) AND invoices.account_id = ledger.account_id
      WHERE kind = 'payment' AND (invoices.id IS NULL OR paid_at IS NULL OR credits <> delta)`,
  },
  {
    name: 'invoices',
    rule: 'every paid invoice has a payment in the ledger',
    find: sql`
      SELECT invoices.id AS subject, format('%s, %s credits of pack %s were not granted', state, credits, pack) AS detail
      FROM invoices LEFT JOIN ledger ON kind = 'payment'
        AND ledger.account_id = invoices.account_id AND idem = format('pay:%s:%s', provider, external_id)
      WHERE (state = 'paid' OR paid_at IS NOT NULL) AND ledger.id IS NULL`,
  },
  {
    name: 'refunds',
    rule: 'a refund is at most as large as its charge, and of the same account',
    find: sql`
      SELECT refund.id AS subject, format('%s refunded for a %s of %s', refund.delta, charged.kind, charged.delta) AS detail
      FROM ledger AS refund LEFT JOIN ledger AS charged
        ON charged.account_id = refund.account_id AND charged.id = refund.ref
      WHERE refund.kind = 'refund' AND (charged.kind IS DISTINCT FROM 'charge' OR refund.delta > -charged.delta)`,
  },
  {
    name: 'replays',
    rule: 'a charge has at most five free replays',
    find: sql`
      SELECT ref AS subject, format('%s replays', count(*)) AS detail
      FROM ledger WHERE kind = 'replay' GROUP BY account_id, ref HAVING count(*) > ${MAX_REPLAYS}`,
  },
  {
    name: 'usage',
    rule: 'the credits in the usage of each key, endpoint and day equal the charges in the ledger',
    find: sql`
      SELECT coalesce(used.account_id, charged.account_id) AS subject,
        format('key %s, %s on %s: usage %s, ledger %s', coalesce(used.key_id, charged.key_id),
          coalesce(used.endpoint, charged.endpoint), coalesce(used.day, charged.day),
          coalesce(used.credits, 0), coalesce(charged.credits, 0)) AS detail
      FROM usage_days AS used FULL JOIN charged_days AS charged
        ON used.account_id = charged.account_id AND used.day = charged.day AND used.endpoint = charged.endpoint
        AND coalesce(used.key_id::text, '') = coalesce(charged.key_id::text, '')
      WHERE coalesce(used.credits, 0) <> coalesce(charged.credits, 0)`,
  },
  {
    name: 'events',
    rule: 'the account or key of every event exists',
    find: sql`
      SELECT events.id AS subject, format('%s for %s, which does not belong to account %s', kind, subject, account_id) AS detail
      FROM events
      WHERE (kind IN ('account_made', 'tier_changed') AND subject <> account_id::text)
        OR (kind IN ('key_made', 'key_changed', 'key_rotated', 'key_revoked') AND NOT EXISTS (
          SELECT FROM api_keys WHERE api_keys.id::text = subject AND api_keys.account_id = events.account_id))`,
  },
  {
    name: 'untold',
    rule: 'every account and key has an event for its creation, and every revoked key one for its revocation',
    find: sql`
      SELECT subject, format('no %s', kind) AS detail
      FROM (
        SELECT id::text AS subject, 'account_made' AS kind FROM accounts
        UNION ALL SELECT id::text, 'key_made' FROM api_keys
        UNION ALL SELECT id::text, 'key_revoked' FROM api_keys WHERE revoked_at IS NOT NULL
      ) AS happened
      WHERE NOT EXISTS (SELECT FROM events WHERE events.subject = happened.subject AND events.kind = happened.kind)`,
  },
  {
    name: 'rebuilds',
    rule: 'every correction of an hour is finished; files of the others are refused until `rebuild` is run again',
    isNote: true,
    find: sql`
      SELECT market_id AS subject, format('hour %s, revision %s', hour_at, revision) AS detail
      FROM corrections WHERE corrected_at IS NULL`,
  },
  {
    name: 'keys',
    rule: 'no account has more working keys than its tier allows; keys created on a higher tier keep working',
    isNote: true,
    find: sql`
      SELECT accounts.id AS subject, format('%s working keys, the %s tier allows %s', count(*), tier_of(accounts), allowed) AS detail
      FROM accounts JOIN api_keys ON api_keys.account_id = accounts.id
        CROSS JOIN LATERAL (SELECT (${MAX_KEYS}::jsonb ->> tier_of(accounts))::int AS allowed) AS limits
      WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND NOT is_console
      GROUP BY accounts.id, allowed HAVING count(*) > allowed`,
  },
]

export async function runCheck(database: Database, { find }: AuditCheck): Promise<AuditFinding[]> {
  const { rows } = await find.execute(database)
  return rows.map(({ subject, detail }) => ({ subject: String(subject), detail }))
}
