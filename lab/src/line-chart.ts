/** A line of a chart: one value for each step of time. */
interface Line {
  name: string
  values: readonly number[]
}

export interface Chart {
  title: string
  unit: string
  /** From one value to the next: a second when left out, or what stands instead of time. */
  step?: { seconds: number } | 'round'
  lines: readonly Line[]
}

const WIDTH = 900
const HEIGHT = 200
const LEFT = 70
const TOP = 48
const NAME_WIDTH = 84
const COLOURS = ['#2563eb', '#dc2626', '#16a34a', '#9333ea', '#d97706', '#0891b2', '#475569', '#db2777', '#65a30d']

/** Charts one below the other, in one SVG that any browser shows. */
export function drawCharts(charts: readonly Chart[]): string {
  const panels = charts.map((chart, index) => `<g transform="translate(0 ${index * HEIGHT})">${panel(chart)}</g>`)
  const height = charts.length * HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>${panels.join('')}</svg>\n`
}

function panel({ title, unit, step = { seconds: 1 }, lines }: Chart): string {
  const values = lines.flatMap((line) => line.values).filter((value) => Number.isFinite(value))
  const highest = Math.max(1e-9, ...values)
  const lowest = Math.min(0, ...values)
  const count = Math.max(2, ...lines.map((line) => line.values.length))
  const plotHeight = HEIGHT - TOP - 26
  const xOf = (index: number): number => LEFT + (index / (count - 1)) * (WIDTH - LEFT - 20)
  const yOf = (value: number): number => TOP + (1 - (value - lowest) / (highest - lowest)) * plotHeight
  const grid = [lowest, (lowest + highest) / 2, highest].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${yOf(value)}" y2="${yOf(value)}" stroke="#e5e7eb"/><text x="${LEFT - 6}" y="${yOf(value) + 4}" text-anchor="end" fill="#6b7280">${shortNumber(value)}</text>`,
  )
  const drawn = lines.map(({ name, values: points }, index) => {
    const colour = COLOURS[index % COLOURS.length]
    const path = points
      .map((value, at) => `${at === 0 ? 'M' : 'L'}${xOf(at).toFixed(1)} ${yOf(value).toFixed(1)}`)
      .join('')
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/><text x="${LEFT + index * NAME_WIDTH}" y="36" fill="${colour}">${escaped(name)}</text>`
  })
  return `<text x="${LEFT}" y="20" font-weight="bold">${escaped(title)} (${escaped(unit)})</text>${grid.join('')}${drawn.join('')}<text x="${WIDTH - 20}" y="${HEIGHT - 8}" text-anchor="end" fill="#6b7280">${lengthOf(count, step)}</text>`
}

function lengthOf(count: number, step: NonNullable<Chart['step']>): string {
  return step === 'round' ? `${count} rounds` : `${count * step.seconds} s`
}

function shortNumber(value: number): string {
  return Math.abs(value) >= 1_000 ? `${(value / 1_000).toFixed(1)}k` : String(Math.round(value * 100) / 100)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
