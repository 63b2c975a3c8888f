import { stringify } from 'csv-stringify/sync'
import { z } from 'zod'
import type { Endpoint, Table } from '../endpoints/endpoint.ts'

export interface FlatFile {
  readonly text: string
  readonly rowCount: number
  readonly envelope: Readonly<Record<string, unknown>>
}

/** Text that a spreadsheet would run as a formula, also after quotes and spaces. */
const FORMULA = /^["'\s]*[=+\-@\t\r]/
const NULL = '\\N'

/** Columns of books, which `includebook=false` leaves out, as in Parquet. */
const BOOK_COLUMNS = new Set(['bids', 'asks'])

/** Renders csv or tsv: a header, one row per item, `\N` for null, lists and objects as compact JSON. */
export function flatten(
  endpoint: Endpoint,
  reply: unknown,
  { format, isWithoutBooks }: { format: 'csv' | 'tsv'; isWithoutBooks: boolean },
): FlatFile {
  const table = endpoint.table ?? defaultTable(endpoint.reply)
  const columns = table.columns.filter((column) => !isWithoutBooks || !BOOK_COLUMNS.has(column))
  const rows = table.rows(reply)
  const text = stringify(
    rows.map((row) => columns.map((column) => cellOf(row[column]))),
    { header: true, columns, delimiter: format === 'csv' ? ',' : '\t', record_delimiter: '\n' },
  )
  return { text, rowCount: rows.length, envelope: table.envelope?.(reply) ?? {} }
}

/** One row per item of a list; any other reply is one row. */
function defaultTable(schema: z.ZodType): Table<unknown> {
  if (schema instanceof z.ZodArray) {
    return { columns: columnsOf(schema.element as z.ZodType), rows: (reply) => reply as Record<string, unknown>[] }
  }
  return { columns: columnsOf(schema), rows: (reply) => [reply as Record<string, unknown>] }
}

export function columnsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  throw new Error('a reply without a table of its own must be an object or a list of objects')
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return NULL
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value
  return JSON.stringify(value)
}
