import { type Grantee, LOGINS, type LoginName } from './login-names.ts'

/** Verbs of a table, such as `SELECT, INSERT, UPDATE (revoked_at)`. */
type TableGrants = Readonly<Record<string, string>>

/** A row lock needs UPDATE on one column; nothing reads this one to decide anything. */
const LOCK_ACCOUNT = 'SELECT (id), UPDATE (created_at)'

const MARKET_READS: TableGrants = { category_plans: 'SELECT', markets: 'SELECT', resolutions: 'SELECT' }

const CHAIN_READS: TableGrants = { manifest_files: 'SELECT', manifest_keys: 'SELECT', manifests: 'SELECT' }

/** Counts of calls; credits follow the ledger. */
const USAGE_COUNTS: TableGrants = {
  usage_days: 'SELECT, INSERT (account_id, key_id, endpoint, day, calls), UPDATE (calls)',
  refused_days: 'SELECT, INSERT, UPDATE (calls)',
  usage_batches: 'SELECT, INSERT, DELETE',
}

/**
 * Keys are checked, charged and counted. Names of accounts and hashes of keys can't be read; secrets, balances, tiers
 * and credits change only inside the functions below.
 */
const CALLER_CHECKS: TableGrants = {
  nameless_accounts: 'SELECT',
  hashless_keys: 'SELECT, UPDATE (last_used_at)',
  ledger: 'SELECT',
  paid_months: 'SELECT',
  tiers: 'SELECT',
  ...USAGE_COUNTS,
}

/** What each role may do with each table. A table that is not listed is refused. */
export const TABLE_GRANTS: Readonly<Record<Grantee, TableGrants>> = {
  capture: {},
  archive: {},
  hot: {},
  catalogue: {
    category_plans: 'SELECT, INSERT, UPDATE',
    markets: 'SELECT, INSERT, UPDATE, DELETE',
    resolutions: 'SELECT, INSERT, UPDATE, DELETE',
    // Deletes what is older than RETENTION_DAYS_USAGE; a condition needs SELECT.
    usage_days: 'SELECT, DELETE',
    corrections: 'SELECT',
    counted_days: 'SELECT, INSERT, UPDATE, DELETE',
    coverage_parts: 'SELECT, INSERT, DELETE',
    refused_days: 'SELECT, DELETE',
  },
  api: {
    ...MARKET_READS,
    ...CALLER_CHECKS,
    hashless_keys: 'SELECT, UPDATE (last_used_at, revoked_at)',
    // The processor's invoice is added, or the payment worker is told to look. What is sold, and for what, stays.
    invoices: 'SELECT, UPDATE (external_id, url, state, next_check_at, news)',
    // A repeated callback is counted; its content can't be changed.
    payment_events:
      'SELECT, INSERT (provider, sha256, body, external_id, order_id, payment_id), UPDATE (times, last_at)',
    payment_reviews: 'SELECT, INSERT (provider, subject, reason)',
    probe_hours: 'SELECT',
    corrections: 'SELECT',
    counted_days: 'SELECT',
    coverage_parts: 'SELECT',
    resolved_counts: 'SELECT',
    samples: 'SELECT',
    files: 'SELECT',
    ...CHAIN_READS,
  },
  gateway: { ...MARKET_READS, ...CALLER_CHECKS },
  payments: {
    accounts: LOCK_ACCOUNT,
    invoices: 'SELECT, UPDATE',
    ledger: 'SELECT, INSERT',
    ledger_ids: 'USAGE',
    payment_events: 'SELECT',
    payment_reviews: 'SELECT, INSERT, UPDATE (resolved_at)',
  },
  prober: { probe_hours: 'SELECT, INSERT, UPDATE, DELETE' },
  files: {
    corrections: 'SELECT',
    file_days: 'SELECT, INSERT',
    files: 'SELECT, INSERT',
    manifest_files: 'SELECT, INSERT',
    manifest_keys: 'SELECT, INSERT',
    manifests: 'SELECT, INSERT',
  },
  operator: {
    ...MARKET_READS,
    accounts: 'SELECT, INSERT, UPDATE (tier, tier_since, tier_expires_at, months_from, monthly_credits, next_grant_at)',
    account_events: 'SELECT',
    nameless_accounts: 'SELECT',
    api_keys: 'SELECT',
    hashless_keys: 'SELECT, UPDATE (last_used_at, revoked_at)',
    charged_days: 'SELECT',
    corrections: 'SELECT, INSERT, UPDATE',
    events: 'SELECT',
    invoices: 'SELECT',
    ledger: 'SELECT, INSERT',
    ledger_ids: 'USAGE',
    paid_months: 'SELECT, DELETE',
    payment_events: 'SELECT',
    payment_reviews: 'SELECT, UPDATE (resolved_at, resolution)',
    people: 'SELECT',
    probe_hours: 'SELECT',
    samples: 'SELECT, INSERT, UPDATE, DELETE',
    tiers: 'SELECT',
    ...USAGE_COUNTS,
  },
}

/**
 * Functions that run with the rights of the owner of the tables, and the roles that may call them. They are the only
 * way from a role to the balance of an account and the secret of a key.
 */
export const OWNER_FUNCTIONS: Readonly<Record<string, readonly Grantee[]>> = {
  charge_credits: ['api', 'gateway', 'operator'],
  void_charge: ['api', 'gateway', 'operator'],
  spendable_credits: ['api', 'gateway', 'operator'],
  find_keys: ['api', 'gateway', 'operator'],
  rehash_key: ['api', 'gateway', 'operator'],
  issue_key: ['api', 'operator'],
  change_key: ['api'],
  rotate_key: ['api'],
  limit_console_key: ['api'],
  list_account_events: ['api', 'operator'],
  note_session: ['api', 'operator'],
  begin_invoice: ['api'],
  resolve_review: ['api'],
  search_accounts: ['api'],
  sign_in_person: ['api'],
  settle_grants: ['operator'],
  erase_account: ['operator'],
  add_paid_months: ['payments'],
  delete_failed_invoices: ['payments'],
  pause_paid_months: ['operator'],
  begin_paid_months: [],
  book_grants: [],
  // Called by triggers, which need no grant.
  move_balance: [],
  place_in_ledger: [],
  count_credits: [],
  count_resolutions: [],
  count_resolved_markets: [],
  move_resolved_markets: [],
  note_account_event: [],
  note_key_event: [],
  make_console_key: [],
  keep_console_key: [],
  refuse_change: [],
  require_chain: [],
}

/** Tables that only the owner uses: the migrations themselves, what is sold, and tables that version 0.6 wrote. */
export const OWNER_TABLES = [
  'kysely_migration',
  'kysely_migration_lock',
  'incidents',
  'packs',
  'probed_services',
  'probes',
  'uptime_days',
]

export function groupOf(name: LoginName): string {
  return `bookreel_${name}`
}

/** A function of the database; several may have one name. */
export interface Routine {
  readonly name: string
  /** With the types of its parameters. */
  readonly signature: string
}

/** Statements that make functions run as their owner; safe to repeat, and needed again after a migration replaced one. */
export function functionStatements(routines: readonly Routine[]): string[] {
  return routines.flatMap(({ signature }) => [
    `ALTER FUNCTION ${signature} SECURITY DEFINER`,
    // Otherwise a caller could put a table of its own in front of ours.
    `ALTER FUNCTION ${signature} SET search_path = public, pg_temp`,
    `REVOKE EXECUTE ON FUNCTION ${signature} FROM PUBLIC`,
  ])
}

/** Statements that give a group exactly its grants. */
export function grantStatements(name: LoginName, routines: readonly Routine[]): string[] {
  const group = groupOf(name)
  const grantees: readonly Grantee[] = LOGINS[name]
  const isCaller = (routine: Routine) => OWNER_FUNCTIONS[routine.name]?.some((each) => grantees.includes(each))
  return [
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${group}`,
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM ${group}`,
    `GRANT USAGE ON SCHEMA public TO ${group}`,
    ...grantees.flatMap((grantee) =>
      Object.entries(TABLE_GRANTS[grantee]).map(([table, verbs]) => `GRANT ${verbs} ON ${table} TO ${group}`),
    ),
    ...routines.filter(isCaller).map(({ signature }) => `GRANT EXECUTE ON FUNCTION ${signature} TO ${group}`),
  ]
}
