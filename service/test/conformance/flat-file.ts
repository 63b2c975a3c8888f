import assert from 'node:assert/strict'
import type { Answered } from '@bookreel/testbed/service/test-service'
import { recordsOf } from './checks.ts'

type Entry = Record<string, unknown>

const VOLATILE = new Set(['depths', 'rates', 'rateUsed', 'rateRemaining', 'rateResetSeconds'])
/** Answers without a time are known by a figure that is another one for nearly every book. */
const SAMPLE_TIME = /"(timestamp|capture_timestamp|captureTimestamp|microprice)":[^,}]+/g
const LINK = /^<([^>]+)>; rel="alternate"; type="application\/json"$/

/** `total_markets` and `totalMarkets` are sent as `X-Total-Markets`. */
function headerOf(member: string): string {
  return `x-${member.replace(/([a-z0-9])([A-Z])/g, '$1-$2').replaceAll('_', '-')}`.toLowerCase()
}

export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Bytes of all `X-` headers that describe the rows. */
export function envelopeBytes({ headers }: Answered): number {
  const own = /^x-(request-id|credits-|ratelimit-|idempotent-|content-type-options|frame-options)/
  return Object.entries(headers)
    .filter(([name]) => name.startsWith('x-') && !own.test(name))
    .reduce((sum, [name, value]) => sum + name.length + String(value).length + ': \r\n'.length, 0)
}

/** The address of the JSON form, where a header had to be shortened. */
export function linkedAddress({ headers }: Answered): string | undefined {
  const link = headers.link === undefined ? null : LINK.exec(headers.link)
  return link?.[1]
}

/**
 * Every member of the JSON answer is a column, a header with the same value, or a count with a link. Values are compared
 * where the JSON answers before and after the file are equal; names always.
 */
export function assertNothingLost(before: unknown, file: Answered, after: unknown, delimiter: ',' | '\t'): void {
  const rows = recordsOf(file.text, delimiter)
  const columns = (file.text.split('\n')[0] ?? '').split(delimiter)
  if (Array.isArray(before)) {
    assertRows(before, after as unknown[], rows, columns)
    return
  }
  const one = before as Entry
  const other = ofSameSample(one, after as Entry)
  for (const [name, value] of Object.entries(one)) {
    const isStable = isEqual(name, value, other[name])
    const header = file.headers[headerOf(name)]
    const count = file.headers[`${headerOf(name)}-count`]
    if (header !== undefined) {
      const text = typeof value === 'string' ? decodeURIComponent(header) : header
      if (isStable) assert.equal(text.replaceAll(/\\u[0-9a-f]{4}/g, unescaped), cellOf(value), name)
    } else if (count !== undefined) {
      assert.ok(linkedAddress(file) !== undefined, `${name} is counted, but there is no link`)
      const size = Array.isArray(value) ? value.length : Object.keys(value as Entry).length
      if (isStable) assert.equal(count, String(size), name)
    } else if (columns.includes(name)) {
      if (isStable)
        assert.ok(
          rows.some((row) => row[name] === cellOf(value)),
          name,
        )
    } else if (value !== null) assertInRows(name, value, other[name], rows, columns)
  }
}

function unescaped(text: string): string {
  return String.fromCharCode(Number.parseInt(text.slice(2), 16))
}

/** Gauges may change and return to the same value. */
function isEqual(name: string, one: unknown, other: unknown): boolean {
  return !VOLATILE.has(name) && JSON.stringify(one) === JSON.stringify(other)
}

/** Two books with some equal members may have had another book between them. */
function ofSameSample(one: Entry, other: Entry): Entry {
  const timesIn = (entry: Entry): string => JSON.stringify(JSON.stringify(entry).match(SAMPLE_TIME))
  return timesIn(one) === timesIn(other) ? other : {}
}

/** A member that is not a header is a list of rows, or an object whose members are columns. */
function assertInRows(
  name: string,
  value: unknown,
  other: unknown,
  rows: readonly Record<string, string>[],
  columns: readonly string[],
): void {
  assert.ok(typeof value === 'object', `${name} is lost`)
  if (Array.isArray(value)) return assertRows(value, (other ?? []) as unknown[], rows, columns)
  assertEntry(value as Entry, (other ?? {}) as Entry, rows, columns)
}

function assertRows(
  items: readonly unknown[],
  others: readonly unknown[],
  rows: readonly Record<string, string>[],
  columns: readonly string[],
): void {
  const isOneToOne = rows.length === items.length
  for (const [index, item] of items.entries()) {
    const own = isOneToOne ? rows.slice(index, index + 1) : rows
    assertEntry(item as Entry, ofSameSample(item as Entry, (others?.[index] ?? {}) as Entry), own, columns)
  }
}

/** Each member is a column of these rows; those of a nested object may have its name before theirs. */
function assertEntry(
  item: Entry,
  other: Entry,
  rows: readonly Record<string, string>[],
  columns: readonly string[],
): void {
  for (const [name, value] of Object.entries(item)) {
    const isStable = isEqual(name, value, other[name])
    if (value === null && !columns.includes(name)) continue
    const isNested = typeof value === 'object' && !columns.includes(name)
    const own = isNested ? [] : columns.filter((column) => column.toLowerCase().includes(name.toLowerCase()))
    if (own.length > 0) {
      const wanted = cellOf(value)
      if (isStable)
        assert.ok(
          rows.some((row) => own.some((column) => row[column] === wanted)),
          `${name} is not ${wanted}`,
        )
    } else {
      assert.ok(typeof value === 'object' && value !== null, `${name} is lost`)
      if (Array.isArray(value)) assertRows(value, (other[name] ?? []) as unknown[], rows, columns)
      else assertEntry(value as Entry, (other[name] ?? {}) as Entry, rows, columns)
    }
  }
}
