/**
 * Runs the checks and tests that a change must pass, on a developer's machine and in CI. The last line counts passed and
 * failed checks and tests. At most two processes of tests run at the same time, and one browser, so that some CPU stays
 * idle and nothing is late because of the tests themselves.
 */

import { cpuSecondsOfChildren } from '@bookreel/testbed/child-cpu'
import { answerHelp, refuseArguments } from './tool-help.ts'
import { changedFiles, nightlyFilesFor } from './verify/changed-files.ts'
import { keepCosts, reportCosts } from './verify/file-costs.ts'
import { repeatFailures, repeatUnderLoad } from './verify/repeat.ts'
import { runProgram } from './verify/run-program.ts'
import { type Outcome, runTests } from './verify/run-tests.ts'

answerHelp(`npm run verify -- [options]

Runs the checks and tests that a change must pass: the gate. Of the nightly tests it runs those of folders in which a
file is changed. The last line counts passed and failed checks and tests; the exit code is 1 when one failed.

  --all                run all nightly tests too, and changed test files 20 times beside a busy core (30 minutes)
  --since <commit>     what counts as changed; default: what is not on the branch origin/HEAD
  --save-budget        write the CPU time of each test file to tools/verify/budget.json
  --help               show this help
  --version            print the version

Example:
  npm run verify
`)
const args = process.argv.slice(2)
const sinceAt = args.indexOf('--since')
const since = sinceAt === -1 ? undefined : args.splice(sinceAt, 2)[1]
if (sinceAt !== -1 && since === undefined) refuseArguments('--since needs a commit')
const unknown = args.find((word) => !['--all', '--save-budget'].includes(word))
if (unknown !== undefined) refuseArguments(`Unknown argument: ${unknown}`)
const isWhole = args.includes('--all')

const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'ci', '--error-on-warnings', '.'],
  ['types and promises', 'oxlint', '--type-aware', '--type-check', '--deny-warnings'],
  ['dead code', 'knip'],
]

async function check(name: string, command: string, given: string[]): Promise<Outcome> {
  const startedAt = performance.now()
  const { code, text } = await runProgram(command, given, 'kept')
  const ok = code === 0
  console.log(`\n── ${name}: ${command} ${given.join(' ')}: ${ok ? 'ok' : 'FAILED'}\n${text.trimEnd()}`)
  const seconds = (performance.now() - startedAt) / 1_000
  return { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds, failures: [], costs: [] }
}

async function allChecks(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [name, command, ...rest] of checks) outcomes.push(await check(name, command, rest))
  return outcomes
}

/** Nightly tests mostly wait, so one lane of them runs beside the browser and the experiments. */
function wholeNight(): Promise<Outcome[]> {
  return Promise.all([
    runTests({ name: 'nightly tests', args: ['--project=nightly'] }),
    runTests({ name: 'nightly experiments and browser', args: ['--project=nightly *'], output: 'kept' }),
  ])
}

const startedAt = performance.now()
const changed = changedFiles(since)
const nightly = isWhole ? [] : nightlyFilesFor(changed)
// What only computes comes first: beside it, services would start late.
const [checked, units] = await Promise.all([allChecks(), runTests({ name: 'unit tests', args: ['--project=units'] })])
const outcomes = [...checked, units]
// Every project that is not run elsewhere, also one that is added later.
outcomes.push(await runTests({ name: 'tests', args: ['--project=!units', '--project=!nightly*'] }))
if (isWhole) outcomes.push(...(await wholeNight()))
if (nightly.length > 0) outcomes.push(await runTests({ name: 'nightly tests of changed folders', args: nightly }))
if (isWhole) outcomes.push(...(await repeatUnderLoad(changed)))

const costs = outcomes.flatMap((outcome) => outcome.costs)
reportCosts(costs)
keepCosts(costs, args.includes('--save-budget'))
console.log('\n── verify')
for (const { name, passed, failed, seconds } of outcomes) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(32)} ${seconds.toFixed(1).padStart(6)} s  ${passed} passed, ${failed} failed`,
  )
}
const failures = outcomes.flatMap((outcome) => outcome.failures)
for (const { line } of failures) console.log(`✗ ${line}`)
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
console.log(`\n${minutes} min, ${cpuSecondsOfChildren().toFixed(0)} s of CPU time of these programs`)
// The verdict stands; this only tells what kind of failure it was.
if (failed > 0) await repeatFailures(failures)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
