import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inspect, styleText } from 'node:util'
import type { Bound } from './bound.ts'
import type { Experiment, Outcome, Progress, Settings } from './experiment.ts'

export const ALL_MET = 0
const NOT_MET = 1
export const FAILED = 2

const QUIET_FOR_MS = 5_000
const CLEAR_LINE = '\r\u001b[2K'

/** Where the lab writes. `colour` and `live` say whether out and err are terminals. */
export interface Screen {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly colour: boolean
  readonly live: boolean
}

/** Runs one experiment, prints the table, writes the JSON file, and returns the exit code. */
export async function runExperiment(
  experiment: Experiment,
  settings: Settings,
  jsonFile: string | undefined,
  screen: Screen,
): Promise<number> {
  const progress = createProgressLine(screen.err, screen.live, Date.now)
  try {
    if (jsonFile !== undefined) await prepareFile(jsonFile)
    const outcome = await experiment.run(settings, progress.report)
    progress.clear()
    screen.out(renderTable(experiment.name, settings, outcome.bounds, screen.colour))
    if (outcome.notes !== undefined) screen.out(`\n${outcome.notes.join('\n')}\n`)
    if (jsonFile !== undefined) await writeFile(jsonFile, toJson(experiment, settings, outcome))
    return outcome.bounds.every((bound) => bound.ok) ? ALL_MET : NOT_MET
  } catch (error) {
    progress.clear()
    screen.err(`${experiment.name} failed: ${inspect(error)}\n`)
    return FAILED
  }
}

/** Fails before the run when the path is unusable, and removes an older result. */
async function prepareFile(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await rm(file, { force: true })
}

function toJson(experiment: Experiment, settings: Settings, outcome: Outcome): string {
  const bounds = outcome.bounds.map(({ name, value, bound, ok }) => ({ name, value, bound, ok }))
  return `${JSON.stringify({ experiment: experiment.name, settings, bounds, series: outcome.series }, null, 2)}\n`
}

/**
 * One line that is rewritten on a terminal; elsewhere a line now and then, so that logs stay short. `clear` removes the
 * line, so that what follows starts on a clean one.
 */
function createProgressLine(
  write: (text: string) => void,
  onTerminal: boolean,
  nowMs: () => number,
): { readonly report: Progress; readonly clear: () => void } {
  let lastAtMs = Number.NEGATIVE_INFINITY
  let shown = false
  return {
    report(message) {
      if (onTerminal) {
        write(`${CLEAR_LINE}${message}`)
        shown = true
      } else if (nowMs() - lastAtMs >= QUIET_FOR_MS) {
        lastAtMs = nowMs()
        write(`${message}\n`)
      }
    },
    clear() {
      if (shown) write(CLEAR_LINE)
      shown = false
    },
  }
}

/** Renders the settings and bounds of a finished run. */
function renderTable(name: string, settings: Settings, bounds: readonly Bound[], colour: boolean): string {
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
