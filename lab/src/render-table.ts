import { styleText } from 'node:util'
import type { Bound } from './bound.ts'
import type { Settings } from './experiment.ts'

/** Renders the settings and bounds of a finished run. */
export function renderTable(name: string, settings: Settings, bounds: readonly Bound[], colour: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text
  const lines = [paint('bold', name), '']

  const settingRows = Object.entries(settings).map(([key, value]) => [key, String(value)])
  if (settingRows.length > 0) lines.push('settings', ...aligned(settingRows), '')

  const heading = ['bound', 'measured', 'limit', '']
  const rows = bounds.map((each) => [each.name, numberText(each.value), each.bound, each.ok ? 'ok' : 'FAILED'])
  const [headingLine = '', ...boundLines] = aligned([heading, ...rows], [1])
  lines.push(headingLine)
  boundLines.forEach((line, index) => {
    lines.push(paint(bounds[index]?.ok ? 'green' : 'red', line))
  })
  return `${lines.join('\n')}\n`
}

function aligned(rows: readonly (readonly string[])[], rightColumns: readonly number[] = []): string[] {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0
      return rightColumns.includes(column) ? cell.padStart(width) : cell.padEnd(width)
    })
    return `  ${cells.join('  ')}`.trimEnd()
  })
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))
}
