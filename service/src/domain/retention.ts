/** How long the rows of a table are kept. */
export type Kept =
  /** As many days as the setting says; without a value for ever. `since` is the column whose time counts. */
  | { readonly by: 'setting'; readonly setting: RetentionSetting; readonly since: string }
  | { readonly by: 'rule'; readonly rule: string }

export const RETENTION_SETTINGS = [
  'RETENTION_DAYS_SNAPSHOTS',
  'RETENTION_DAYS_TRADES',
  'RETENTION_DAYS_GAPS',
  'RETENTION_DAYS_PERP_SNAPSHOTS',
  'RETENTION_DAYS_PRICES',
  'RETENTION_DAYS_SETTLEMENT_PRICES',
  'RETENTION_DAYS_MARKETS',
  'RETENTION_DAYS_USAGE',
] as const
export type RetentionSetting = (typeof RETENTION_SETTINGS)[number]

/** Days of each setting; 0 keeps rows for ever, and without a value the table is left as it is. */
export type RetentionDays = { readonly [Setting in RetentionSetting]?: number | undefined }

/** Every table of ClickHouse. Its rows are deleted by the TTL that `prepare` sets. */
export const CLICKHOUSE_RETENTION: Readonly<Record<string, Kept>> = {
  snapshots: { by: 'setting', setting: 'RETENTION_DAYS_SNAPSHOTS', since: 'slot_at' },
  // Counts of snapshots end with the snapshots.
  market_days: { by: 'setting', setting: 'RETENTION_DAYS_SNAPSHOTS', since: 'day' },
  trades: { by: 'setting', setting: 'RETENTION_DAYS_TRADES', since: 'traded_at' },
  gaps: { by: 'setting', setting: 'RETENTION_DAYS_GAPS', since: 'from_at' },
  perp_snapshots: { by: 'setting', setting: 'RETENTION_DAYS_PERP_SNAPSHOTS', since: 'slot_at' },
  perp_trades: { by: 'setting', setting: 'RETENTION_DAYS_TRADES', since: 'traded_at' },
  perp_contexts: { by: 'setting', setting: 'RETENTION_DAYS_PERP_SNAPSHOTS', since: 'received_at' },
  prices: { by: 'setting', setting: 'RETENTION_DAYS_PRICES', since: 'price_at' },
  settlement_prices: { by: 'setting', setting: 'RETENTION_DAYS_SETTLEMENT_PRICES', since: 'settles_at' },
  market_facts: { by: 'setting', setting: 'RETENTION_DAYS_MARKETS', since: 'ends_at' },
  past_markets: { by: 'setting', setting: 'RETENTION_DAYS_SNAPSHOTS', since: 'last_at' },
  past_state: { by: 'rule', rule: 'one row for each day, and for each minute with late changes' },
  changed_markets: { by: 'rule', rule: 'one row for each market that was changed late' },
  retention: { by: 'rule', rule: 'one row for each table' },
  applied_migrations: { by: 'rule', rule: 'one row for each migration' },
}

const MONEY = 'for ever: it proves a balance or a payment'
const CHAIN = 'for ever: it proves that files were not changed'
const OF_ACCOUNT = 'until the account is erased'
const UNUSED = 'not written since version 0.6'

/** Every table of PostgreSQL. The role `catalogue` deletes expired rows once an hour. */
export const POSTGRES_RETENTION: Readonly<Record<string, Kept>> = {
  markets: { by: 'setting', setting: 'RETENTION_DAYS_MARKETS', since: 'ends_at' },
  resolutions: { by: 'setting', setting: 'RETENTION_DAYS_MARKETS', since: 'resolved_at' },
  resolved_counts: { by: 'rule', rule: 'one row for each series of markets' },
  usage_days: { by: 'setting', setting: 'RETENTION_DAYS_USAGE', since: 'day' },
  refused_days: { by: 'setting', setting: 'RETENTION_DAYS_USAGE', since: 'day' },
  usage_batches: { by: 'rule', rule: '2 days' },
  // Counts of snapshots end with the snapshots.
  coverage_parts: { by: 'setting', setting: 'RETENTION_DAYS_SNAPSHOTS', since: 'start_at' },
  counted_days: { by: 'setting', setting: 'RETENTION_DAYS_SNAPSHOTS', since: 'day_at' },
  probe_hours: { by: 'rule', rule: 'as long as the uptime that is shown' },
  ledger: { by: 'rule', rule: MONEY },
  invoices: { by: 'rule', rule: MONEY },
  payment_events: { by: 'rule', rule: MONEY },
  payment_reviews: { by: 'rule', rule: MONEY },
  paid_months: { by: 'rule', rule: MONEY },
  corrections: { by: 'rule', rule: 'for ever: it tells which rows were changed after they were sold' },
  samples: { by: 'rule', rule: 'three at most, until an operator removes them' },
  files: { by: 'rule', rule: 'for ever: it tells what was sold, and never changes' },
  manifests: { by: 'rule', rule: CHAIN },
  manifest_files: { by: 'rule', rule: CHAIN },
  manifest_keys: { by: 'rule', rule: CHAIN },
  file_days: { by: 'rule', rule: 'one row for each day' },
  events: { by: 'rule', rule: 'for ever: it shows who changed an account' },
  accounts: { by: 'rule', rule: OF_ACCOUNT },
  api_keys: { by: 'rule', rule: OF_ACCOUNT },
  people: { by: 'rule', rule: OF_ACCOUNT },
  category_plans: { by: 'rule', rule: 'one row for each category' },
  tiers: { by: 'rule', rule: 'one row for each tier' },
  packs: { by: 'rule', rule: 'one row for each pack' },
  kysely_migration: { by: 'rule', rule: 'one row for each migration' },
  kysely_migration_lock: { by: 'rule', rule: 'one row' },
  incidents: { by: 'rule', rule: UNUSED },
  probed_services: { by: 'rule', rule: UNUSED },
  probes: { by: 'rule', rule: UNUSED },
  uptime_days: { by: 'rule', rule: UNUSED },
}

/** Without its gap record a missing slot looks like a bug, so gaps are kept at least as long as rows and trades. */
export function requireGapsAsLong(days: RetentionDays): void {
  const gaps = days.RETENTION_DAYS_GAPS ?? 0
  if (gaps === 0) return
  for (const setting of [
    'RETENTION_DAYS_SNAPSHOTS',
    'RETENTION_DAYS_TRADES',
    'RETENTION_DAYS_PERP_SNAPSHOTS',
  ] as const) {
    const rows = days[setting] ?? 0
    if (rows === 0 || rows > gaps)
      throw new Error(
        `RETENTION_DAYS_GAPS is ${gaps}, but ${setting} keeps rows longer. Set it to at least the same, or to 0.`,
      )
  }
}
