import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client'
import type { ColumnList } from '../../domain/rows/row-schema.ts'
import { columnsOf, type RowTable } from '../../domain/rows/row-table.ts'

/** ClickHouse found the rows invalid, so a retry would fail too. */
export class RowsRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RowsRefused'
  }
}

export interface RowInserter {
  /**
   * Resolves when all rows are on disk. Throws `RowsRefused` when the rows are invalid; every other error may be
   * temporary.
   */
  insertRaw(table: RowTable, schema: number, parts: readonly Uint8Array[]): Promise<void>
}

/** Errors that depend only on the bytes. Others (no space, no table, too many parts) may be temporary. */
const DATA_ERRORS: ReadonlySet<string> = new Set([
  '6', // CANNOT_PARSE_TEXT
  '26', // CANNOT_PARSE_QUOTED_STRING
  '27', // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  '32', // ATTEMPT_TO_READ_AFTER_EOF
  '33', // CANNOT_READ_ALL_DATA
  '69', // ARGUMENT_OUT_OF_BOUND
  '117', // INCORRECT_DATA
  '128', // TOO_LARGE_ARRAY_SIZE
  '131', // TOO_LARGE_STRING_SIZE
  '190', // SIZES_OF_ARRAYS_DONT_MATCH
  '321', // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  '469', // VIOLATED_CONSTRAINT
])

/** A repeat must reach the materialized views again, since a crash may have stopped between table and view. */
const SETTINGS = { async_insert: 0, insert_deduplicate: 0, distributed_foreground_insert: 1 } as const

export function rowInserter(client: ClickHouseClient): RowInserter {
  return {
    async insertRaw(table, schema, parts) {
      const columns = columnsOf(table, schema)
      if (columns === undefined) throw new RowsRefused(`schema ${schema} of ${table} is not known here`)
      try {
        await insertRowBinary(client, table, columns, parts)
      } catch (error) {
        if (error instanceof ClickHouseError && DATA_ERRORS.has(error.code))
          throw new RowsRefused(`${table}: ${error.type ?? error.code}: ${error.message}`, { cause: error })
        throw error
      }
    },
  }
}

/** Resolves when the rows are on the server's disk. */
export async function insertRowBinary(
  client: ClickHouseClient,
  table: string,
  columns: ColumnList,
  parts: readonly Uint8Array[],
): Promise<void> {
  const { stream } = await client.exec({
    query: `INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) FORMAT RowBinary`,
    values: Readable.from(parts, { objectMode: false }),
    clickhouse_settings: SETTINGS,
  })
  for await (const _ of stream);
}
