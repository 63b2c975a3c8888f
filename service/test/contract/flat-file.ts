import assert from 'node:assert/strict'
import { recordsOf } from './checks.ts'

type Entry = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, string>>

export interface FlatFile {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

const LINK = /^<([^>]+)>; rel="alternate"; type="application\/json"$/

/** `total_markets` and `totalMarkets` are sent as `X-Total-Markets`. */
function headerOf(member: string): string {
  return `x-${member.replace(/([a-z0-9])([A-Z])/g, '$1-$2').replaceAll('_', '-')}`.toLowerCase()
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Bytes of all `X-` headers that describe the rows. */
export function envelopeBytes({ headers }: Pick<FlatFile, 'headers'>): number {
  const own = /^x-(request-id|credits-|ratelimit-|idempotent-|content-type-options|frame-options)/
  return Object.entries(headers)
    .filter(([name]) => name.startsWith('x-') && !own.test(name))
    .reduce((sum, [name, value]) => sum + name.length + String(value).length + ': \r\n'.length, 0)
}

/** The address of the JSON form, where a header had to be shortened. */
export function linkedAddress({ headers }: Pick<FlatFile, 'headers'>): string | undefined {
  return headers.link === undefined ? undefined : LINK.exec(headers.link)?.[1]
}

/** Every member of the JSON answer is a column with its value, a header with the same value, or a count with a link. */
export function assertNothingLost(answer: unknown, file: FlatFile, delimiter: ',' | '\t'): void {
  const rows = recordsOf(file.text, delimiter)
  const columns = (file.text.split('\n')[0] ?? '').split(delimiter)
  if (Array.isArray(answer)) return assertRows(answer, rows, columns)
  for (const [name, value] of Object.entries(answer as Entry)) {
    // A header that is not sent.
    if (value === null || value === undefined) continue
    const header = file.headers[headerOf(name)]
    const count = file.headers[`${headerOf(name)}-count`] ?? file.headers[`${headerOf(name)}-length`]
    if (header !== undefined) {
      const text =
        typeof value === 'string' ? decodeURIComponent(header) : header.replaceAll(/\\u[0-9a-f]{4}/g, unescaped)
      assert.equal(text, cellOf(value), name)
    } else if (count !== undefined) {
      assert.ok(linkedAddress(file) !== undefined, `${name} is counted, but there is no link`)
      const size = typeof value === 'object' && !Array.isArray(value) ? Object.keys(value as Entry) : (value as string)
      assert.equal(count, String(size.length), name)
    } else if (!rows.some((row) => row[name] === cellOf(value))) assertInRows(name, value, rows, columns)
  }
}

function unescaped(text: string): string {
  return String.fromCharCode(Number.parseInt(text.slice(2), 16))
}

/** A member that is not a header is a list of rows, or an object whose members are columns. */
function assertInRows(name: string, value: unknown, rows: readonly Row[], columns: readonly string[]): void {
  assert.ok(typeof value === 'object', `${name} is lost`)
  if (Array.isArray(value)) assertRows(value, rows, columns)
  else assertEntry(value as Entry, rows, columns)
}

function assertRows(items: readonly unknown[], rows: readonly Row[], columns: readonly string[]): void {
  const isOneToOne = rows.length === items.length
  for (const [index, item] of items.entries())
    assertEntry(item as Entry, isOneToOne ? rows.slice(index, index + 1) : rows, columns)
}

/** Each member is a column of these rows; those of a nested object may have its name before theirs. */
function assertEntry(item: Entry, rows: readonly Row[], columns: readonly string[]): void {
  for (const [name, value] of Object.entries(item)) {
    if ((value === null || value === undefined) && !columns.includes(name)) continue
    const isNested = typeof value === 'object' && !columns.includes(name)
    const own = isNested ? [] : columns.filter((column) => column.toLowerCase().includes(name.toLowerCase()))
    if (own.length > 0) {
      const wanted = cellOf(value)
      assert.ok(
        rows.some((row) => own.some((column) => row[column] === wanted)),
        `${name} is not ${wanted}`,
      )
    } else assertInRows(name, value, rows, columns)
  }
}
