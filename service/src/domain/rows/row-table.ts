import { GAP_COLUMNS } from './gap.ts'
import { PERP_SNAPSHOT_COLUMNS } from './perp-snapshot.ts'
import { SNAPSHOT_COLUMNS } from './snapshot.ts'
import { TRADE_COLUMNS } from './trade.ts'

/** The tables whose rows travel the bus; a table's place in this list is its number there, so the list only grows. */
export const ROW_TABLES = ['snapshots', 'gaps', 'trades', 'perp_snapshots'] as const
export type RowTable = (typeof ROW_TABLES)[number]

export type Columns = readonly (readonly [name: string, type: string])[]

/**
 * Every column list that rows were ever encoded with, the first being schema 1. Rows of an old schema may still
 * be on the bus when a new one comes, so none is changed or removed.
 */
const SCHEMAS: Record<RowTable, readonly Columns[]> = {
  snapshots: [SNAPSHOT_COLUMNS],
  gaps: [GAP_COLUMNS],
  trades: [TRADE_COLUMNS],
  perp_snapshots: [PERP_SNAPSHOT_COLUMNS],
}

/** The schema that rows are encoded with now. */
export function currentSchema(table: RowTable): number {
  return SCHEMAS[table].length
}

/** Undefined for a schema that is newer than this program. */
export function columnsOf(table: RowTable, schema: number): Columns | undefined {
  return SCHEMAS[table][schema - 1]
}
