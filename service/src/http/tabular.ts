import { stringify } from 'csv-stringify/sync'
import { z } from 'zod'
import type { Endpoint, Table } from '../endpoints/endpoint.ts'

export interface FlatFile {
  readonly text: string
  readonly rowCount: number
  readonly envelope: Readonly<Record<string, unknown>>
}

type Row = Readonly<Record<string, unknown>>

/** Text that a spreadsheet would run as a formula, also after quotes and spaces. */
const FORMULA = /^["'\s]*[=+\-@\t\r]/
const NULL = '\\N'

/** Columns of books, which `includebook=false` leaves out, as in Parquet. */
const BOOK_COLUMN = /^(perp_)?(bids|asks)$/

export interface FlatFileOptions {
  readonly format: 'csv' | 'tsv'
  readonly isWithoutBooks: boolean
  /** Writes a quote before text that a spreadsheet would run; otherwise cells contain the data unchanged. */
  readonly isSpreadsheetSafe: boolean
}

/** Renders csv or tsv: a header, one row per item, `\N` for null, lists and objects as compact JSON. */
export function flatten(endpoint: Endpoint, reply: unknown, options: FlatFileOptions): FlatFile {
  const table = endpoint.table ?? defaultTable(endpoint.reply)
  const rows = table.rows(reply)
  const text = flatText(table.columns, rows, options, true)
  return { text, rowCount: rows.length, envelope: envelopeOf(reply, table.inRows) }
}

/** Some lines of a file. */
export function flatText(
  tableColumns: readonly string[],
  rows: readonly Row[],
  { format, isWithoutBooks, isSpreadsheetSafe }: FlatFileOptions,
  hasHeader: boolean,
): string {
  const columns = tableColumns.filter((column) => !isWithoutBooks || !BOOK_COLUMN.test(column))
  return stringify(
    rows.map((row) => columns.map((column) => cellOf(row[column], isSpreadsheetSafe))),
    { header: hasHeader, columns, delimiter: format === 'csv' ? ',' : '\t', record_delimiter: '\n' },
  )
}

/** One row per item of a list; any other reply is one row. */
function defaultTable(schema: z.ZodType): Table<unknown> {
  if (schema instanceof z.ZodArray) {
    return { columns: columnsOf(schema.element as z.ZodType), rows: (reply) => reply as Record<string, unknown>[] }
  }
  return { columns: columnsOf(schema), rows: (reply) => [reply as Record<string, unknown>], inRows: 'all' }
}

export function columnsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  throw new Error('a reply without a table of its own must be an object or a list of objects')
}

/** Everything but the rows, so that no member of the reply is lost. */
function envelopeOf(reply: unknown, inRows: Table<unknown>['inRows'] = []): FlatFile['envelope'] {
  if (inRows === 'all' || Array.isArray(reply)) return {}
  // A member in the rows may be expensive to read, so it is not copied.
  const names = Object.keys(reply as object).filter((name) => !inRows.includes(name))
  return Object.fromEntries(names.map((name) => [name, (reply as Record<string, unknown>)[name]]))
}

function cellOf(value: unknown, isSpreadsheetSafe: boolean): string {
  if (value === null || value === undefined) return NULL
  if (typeof value === 'string') return isSpreadsheetSafe && FORMULA.test(value) ? `'${value}` : value
  return JSON.stringify(value)
}
