import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inspect } from 'node:util'
import type { Experiment, Outcome, Settings } from './experiment.ts'
import { createProgressLine } from './progress-line.ts'
import { renderTable } from './render-table.ts'

export const ALL_MET = 0
const NOT_MET = 1
export const FAILED = 2

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
