/** Text that a spreadsheet would run as a formula, also after quotes and spaces. */
const FORMULA = /^["'\s]*[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/
const NULL = '\\N'

/** What a page shows as csv, in the form of the service's own files, for lists that no endpoint serves as csv. */
export function csvOfRows(rows: readonly object[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => names.map((name) => cellOf((row as Record<string, unknown>)[name])))
  return [names, ...lines].map((cells) => `${cells.map(quoted).join(',')}\n`).join('')
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return NULL
  if (typeof value !== 'string') return JSON.stringify(value)
  return FORMULA.test(value) ? `'${value}` : value
}

function quoted(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
