import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Experiment, Outcome, Settings } from './experiment.ts'
import { createProgressLine } from './progress-line.ts'
import { renderTable } from './render-table.ts'

export const KEPT = 0
const BROKEN = 1
export const FAILED = 2

/** Where the lab writes. `colour` and `live` say whether out and err are terminals. */
export interface Screen {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly colour: boolean
  readonly live: boolean
}

/** Runs one experiment, shows the table, writes the JSON, and answers with the exit code. */
export async function runExperiment(
  experiment: Experiment,
  settings: Settings,
  jsonFile: string | undefined,
  screen: Screen,
): Promise<number> {
  const progress = createProgressLine(screen.err, screen.live, Date.now)
  try {
    if (jsonFile !== undefined) await makeRoomFor(jsonFile)
    const outcome = await experiment.run(settings, progress.report)
    progress.clear()
    screen.out(renderTable(experiment.name, settings, outcome.bounds, screen.colour))
    if (outcome.notes !== undefined) screen.out(`\n${outcome.notes.join('\n')}\n`)
    if (jsonFile !== undefined) await writeFile(jsonFile, toJson(experiment, settings, outcome))
    return outcome.bounds.every((bound) => bound.ok) ? KEPT : BROKEN
  } catch (error) {
    progress.clear()
    screen.err(
      `${experiment.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    return FAILED
  }
}

/** An unusable path is found before the run, and an older result can never pass for this one. */
async function makeRoomFor(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await rm(file, { force: true })
}

function toJson(experiment: Experiment, settings: Settings, outcome: Outcome): string {
  const bounds = outcome.bounds.map(({ name, value, bound, ok }) => ({ name, value, bound, ok }))
  return `${JSON.stringify({ experiment: experiment.name, settings, bounds, series: outcome.series }, null, 2)}\n`
}
