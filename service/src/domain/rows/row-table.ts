import { gapSchema } from './gap.ts'
import { perpContextSchema } from './perp-context.ts'
import { perpSnapshotSchema } from './perp-snapshot.ts'
import { perpTradeSchema } from './perp-trade.ts'
import { priceSchema } from './price.ts'
import type { AddedColumns, ColumnList, RowSchema } from './row-schema.ts'
import { settlementPriceSchema } from './settlement-price.ts'
import { snapshotSchema } from './snapshot.ts'
import { tradeSchema } from './trade.ts'

/** The tables whose rows are sent over the bus. A table's number there is its position in this list: only append. */
export const ROW_TABLES = [
  'snapshots',
  'gaps',
  'trades',
  'perp_snapshots',
  'prices',
  'settlement_prices',
  'perp_trades',
  'perp_contexts',
] as const
export type RowTable = (typeof ROW_TABLES)[number]

const SCHEMAS: Readonly<Record<RowTable, Pick<RowSchema<never>, 'current' | 'columnsOf' | 'addedIn'>>> = {
  snapshots: snapshotSchema,
  gaps: gapSchema,
  trades: tradeSchema,
  perp_snapshots: perpSnapshotSchema,
  prices: priceSchema,
  settlement_prices: settlementPriceSchema,
  perp_trades: perpTradeSchema,
  perp_contexts: perpContextSchema,
}

/** The schema that rows are written with. */
export function currentSchema(table: RowTable): number {
  return SCHEMAS[table].current
}

/** Undefined for a schema that is newer than this program. */
export function columnsOf(table: RowTable, schema: number): ColumnList | undefined {
  return SCHEMAS[table].columnsOf(schema)
}

/** The columns that a schema added to the one before it. */
export function addedColumns(table: RowTable, schema: number): AddedColumns {
  return SCHEMAS[table].addedIn(schema)
}
