import type { Grantee } from './login-names.ts'

const ALL_TABLES = ['snapshots', 'gaps', 'trades', 'perp_snapshots', 'market_facts', 'market_days']
const RECORDED_TABLES = ['snapshots', 'gaps', 'trades', 'perp_snapshots']

/** Verb and table. With several shards each table has a local part, which needs the same grant. */
const on = (verb: 'SELECT' | 'INSERT', tables: readonly string[]): string[] =>
  tables.flatMap((table) => [`${verb} ON {database}.${table}`, `${verb} ON {database}.${table}_local`])

/** What each role may do in ClickHouse. A role with an empty list has no user there. */
export const CLICKHOUSE_GRANTS: Readonly<Record<Grantee, readonly string[]>> = {
  capture: [],
  // Reads to find which rows of a gap were stored after all.
  archive: [...on('INSERT', RECORDED_TABLES), ...on('SELECT', ['snapshots', 'gaps', 'perp_snapshots'])],
  hot: [],
  catalogue: on('INSERT', ['market_facts']),
  api: on('SELECT', ALL_TABLES),
  gateway: on('SELECT', ALL_TABLES),
  payments: [],
  prober: [],
  operator: [...on('SELECT', ALL_TABLES), ...on('INSERT', RECORDED_TABLES)],
}

/** The most that one query of a reader may cost. A client can ask for less and never for more. */
export const READER_LIMITS = {
  max_execution_time: 60,
  max_memory_usage: 2_000_000_000,
  max_result_rows: 5_000_000,
} as const
