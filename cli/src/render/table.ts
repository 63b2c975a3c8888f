import type { Paint } from '../terminal.ts'
import { plain, shorten, visibleCharacters } from './text.ts'

export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly isNumber?: true
  /** The column is shortened when the table is too wide. */
  readonly mayShrink?: true
}

const SEPARATOR = '  '
const MIN_WIDTH = 8

/** Renders a table that is at most `width` characters wide. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, paint }: { width: number; paint: Paint },
): string {
  const cells = rows.map((row) => columns.map(({ text }) => plain(text(row))))
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => lengthOf(line[index] ?? ''))),
  )
  shrink(columns, widths, width)
  const lineOf = (texts: readonly string[]): string =>
    texts
      .map((text, index) => fit(text, widths[index] ?? 0, columns[index]?.isNumber === true))
      .join(SEPARATOR)
      .trimEnd()
  const head = paint('bold', lineOf(columns.map(({ title }) => title)))
  return [head, ...cells.map(lineOf)].map((line) => `${line}\n`).join('')
}

/** Renders names and values in two columns. */
export function renderFacts(facts: readonly (readonly [name: string, value: string])[], paint: Paint): string {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${plain(value)}\n`).join('')
}

function shrink<Row>(columns: readonly Column<Row>[], widths: number[], width: number): void {
  const whole = widths.reduce((sum, each) => sum + each, SEPARATOR.length * (widths.length - 1))
  let excess = whole - width
  for (const [index, { mayShrink }] of columns.entries()) {
    if (mayShrink !== true || excess <= 0) continue
    const before = widths[index] ?? 0
    widths[index] = Math.max(Math.min(MIN_WIDTH, before), before - excess)
    excess -= before - (widths[index] ?? 0)
  }
}

function fit(text: string, width: number, isNumber: boolean): string {
  const shown = shorten(text, width)
  const room = ' '.repeat(Math.max(0, width - lengthOf(shown)))
  return isNumber ? room + shown : shown + room
}

function lengthOf(text: string): number {
  return visibleCharacters(text).length
}
