import type { Paint } from '../terminal.ts'
import { lettersOf, plain, shorten } from './text.ts'

export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly isNumber?: true
  /** Gives way when there is too little room. */
  readonly mayShrink?: true
}

const BETWEEN = '  '
const NARROWEST = 8

/** Titles and rows, as wide as they need but not wider than `width`. */
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
      .join(BETWEEN)
      .trimEnd()
  const head = paint('bold', lineOf(columns.map(({ title }) => title)))
  return [head, ...cells.map(lineOf)].map((line) => `${line}\n`).join('')
}

/** Two columns: a name and what is so called. */
export function renderFacts(facts: readonly (readonly [name: string, value: string])[], paint: Paint): string {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${plain(value)}\n`).join('')
}

function shrink<Row>(columns: readonly Column<Row>[], widths: number[], width: number): void {
  const whole = widths.reduce((sum, each) => sum + each, BETWEEN.length * (widths.length - 1))
  let tooMuch = whole - width
  for (const [index, { mayShrink }] of columns.entries()) {
    if (mayShrink !== true || tooMuch <= 0) continue
    const before = widths[index] ?? 0
    widths[index] = Math.max(Math.min(NARROWEST, before), before - tooMuch)
    tooMuch -= before - (widths[index] ?? 0)
  }
}

function fit(text: string, width: number, isNumber: boolean): string {
  const shown = shorten(text, width)
  const room = ' '.repeat(Math.max(0, width - lengthOf(shown)))
  return isNumber ? room + shown : shown + room
}

function lengthOf(text: string): number {
  return lettersOf(text).length
}
