import type { Grantee } from './login-names.ts'

const RECORDED_TABLES = [
  'snapshots',
  'gaps',
  'trades',
  'perp_snapshots',
  'prices',
  'settlement_prices',
  'perp_trades',
  'perp_contexts',
]
const PAST_TABLES = ['past_markets', 'past_state']
const ALL_TABLES = [...RECORDED_TABLES, ...PAST_TABLES, 'market_facts', 'market_days', 'retention']

/** Verb and table. With several shards each table has a local part, which needs the same grant. */
const on = (verb: 'SELECT' | 'INSERT' | 'ALTER DELETE', tables: readonly string[]): string[] =>
  tables.flatMap((table) => [`${verb} ON {database}.${table}`, `${verb} ON {database}.${table}_local`])

/** What each role may do in ClickHouse. A role with an empty list has no user there. */
export const CLICKHOUSE_GRANTS: Readonly<Record<Grantee, readonly string[]>> = {
  capture: [],
  // Reads to find which rows of a gap were stored after all.
  archive: [...on('INSERT', RECORDED_TABLES), ...on('SELECT', ['snapshots', 'gaps', 'perp_snapshots'])],
  hot: [],
  // Reads to count how complete finished days are, and to list past markets.
  catalogue: [
    ...on('INSERT', ['market_facts', ...PAST_TABLES]),
    ...on('SELECT', ['market_days', 'gaps', 'market_facts', 'retention', 'changed_markets', ...PAST_TABLES]),
  ],
  api: on('SELECT', ALL_TABLES),
  gateway: on('SELECT', ALL_TABLES),
  payments: [],
  prober: [],
  files: on('SELECT', ALL_TABLES),
  // Deletes rows that a rebuild replaces.
  operator: [
    ...on('SELECT', ALL_TABLES),
    ...on('INSERT', [...RECORDED_TABLES, 'market_days']),
    ...on('ALTER DELETE', ['snapshots', 'gaps', 'trades', 'market_days']),
  ],
}

/** The most that one query of a reader may cost. A client can ask for less and never for more. */
export const READER_LIMITS = {
  max_execution_time: 60,
  max_memory_usage: 2_000_000_000,
  max_result_rows: 5_000_000,
} as const

/**
 * The most that the reads of one account may cost in a minute, in all processes together. A process gives an account four
 * places, so that it can't reach the time alone.
 */
export const ACCOUNT_QUOTA = { read_rows: 2_000_000_000, execution_time: 300 } as const

/** The roles that read for accounts, and name the account with each query. */
export const ACCOUNT_READERS: readonly Grantee[] = ['api', 'gateway']
