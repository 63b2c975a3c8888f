import { allExperiments } from './all-experiments.ts'
import { runLab } from './run-lab.ts'

// A reader such as `head` may close the pipe early: not an error.
process.stdout.on('error', () => process.exit(0))

process.exitCode = await runLab(process.argv.slice(2), allExperiments, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY === true && process.stdout.hasColors(),
  live: process.stderr.isTTY === true,
})
