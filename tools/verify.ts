/**
 * Runs every check and test that a change must pass, on a developer's machine and in CI. The last line counts passed and
 * failed checks and tests. What only computes comes first: the checks, one after the other, beside the unit tests. Then
 * two parts of the other tests run at the same time: those that depend on time, and patient ones in one more process.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { answerHelp, refuseOthersThan } from './tool-help.ts'

answerHelp(`npm run verify -- [options]

Runs every check and test that a change must pass. The last line counts passed and failed checks and tests; the exit
code is 1 when one failed.

  --no-experiments     leave out the short runs of the experiments, which take about ten minutes
  --help               show this help
  --version            print the version

Example:
  npm run verify
`)
const NO_EXPERIMENTS = '--no-experiments'
refuseOthersThan(NO_EXPERIMENTS)
const EXPERIMENTS = process.argv.includes(NO_EXPERIMENTS) ? [] : ['experiments']

interface Outcome {
  name: string
  passed: number
  failed: number
  seconds: number
  /** One line for each failed test, repeated at the end of the log. */
  failures: string[]
}

interface TestReport {
  numPassedTests: number
  testResults: {
    name: string
    startTime: number
    endTime: number
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'ci', '--error-on-warnings', '.'],
  ['lint with types', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types', 'tsc', '--project', 'tsconfig.json'],
  ['types of pages', 'tsc', '--project', 'console/tsconfig.json'],
  ['dead code', 'knip'],
]

/** Output that is only `kept` is printed when the program ends, so that it does not mix with what is `shown`. */
function run(command: string, args: string[], output: 'shown' | 'kept'): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const parts: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        parts.push(part)
        if (output === 'shown') process.stdout.write(part)
      })
    }
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, text: Buffer.concat(parts).toString() }))
  })
}

async function check(name: string, command: string, args: string[]): Promise<Outcome> {
  const startedAt = performance.now()
  const { code, text } = await run(command, args, 'kept')
  const ok = code === 0
  console.log(`\n── ${name}: ${command} ${args.join(' ')}: ${ok ? 'ok' : 'FAILED'}\n${text.trimEnd()}`)
  return {
    name,
    passed: ok ? 1 : 0,
    failed: ok ? 0 : 1,
    seconds: (performance.now() - startedAt) / 1000,
    failures: [],
  }
}

function firstLine(text: string): string {
  return stripVTControlCharacters(text).split('\n', 1)[0]?.slice(0, 200) ?? ''
}

function failuresOf(report: TestReport): string[] {
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    const lines = failed.map((test) => `${file} › ${test.fullName}: ${firstLine(test.failureMessages[0] ?? '')}`)
    return message === '' || failed.length > 0 ? lines : [`${file}: ${firstLine(message)}`]
  })
}

/** An error outside of every test, or a worker that ended, is in the output of vitest only and not in its report. */
function errorsOutsideTests(code: number, text: string): string[] {
  const found = stripVTControlCharacters(text)
    .split(/⎯+ Unhandled (?:Error|Rejection) ⎯+\n/)
    .slice(1)
  const errors = found.map((part) =>
    part
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, 8)
      .join('\n  '),
  )
  return errors.length > 0 ? errors : [`vitest ended with code ${code}, but no test failed`]
}

const SLOWEST_SHOWN = 12

/** Shows where the minutes go. */
function slowestOf({ testResults }: TestReport): string[] {
  const seconds = testResults.map(({ name, startTime, endTime }) => ({
    file: relative(process.cwd(), name),
    took: (endTime - startTime) / 1_000,
  }))
  const slowest = seconds.toSorted((one, other) => other.took - one.took).slice(0, SLOWEST_SHOWN)
  return slowest.map(({ file, took }) => `${took.toFixed(0).padStart(6)} s  ${file}`)
}

interface TestPart {
  readonly name: string
  /** Of `vitest.config.ts`. */
  readonly projects: readonly string[]
  readonly output: 'shown' | 'kept'
}

const UNITS: TestPart = { name: 'unit tests', projects: ['units'], output: 'shown' }
/** Every project that is in no other part, also one that is added later. */
const TESTS: TestPart = { name: 'tests', projects: ['!units', '!patient*', '!experiments'], output: 'shown' }
const PATIENT: TestPart = { name: 'patient tests', projects: ['patient*', ...EXPERIMENTS], output: 'kept' }

async function tests({ name, projects, output }: TestPart): Promise<Outcome> {
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-verify-'))
  const reportFile = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const args = ['run', ...projects.flatMap((project) => ['--project', project]), ...reporters]
  if (output === 'shown') console.log(`\n── ${name}: vitest ${args.join(' ')}`)
  const { code, text } = await run('vitest', args, output)
  if (output === 'kept') console.log(`\n── ${name}: vitest ${args.join(' ')}\n${text.trimEnd()}`)
  let passed = 0
  let failures: string[] = []
  try {
    const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
    failures = failuresOf(report)
    console.log(`\nslowest files of ${name}\n${slowestOf(report).join('\n')}`)
    passed = report.numPassedTests
  } catch (error) {
    failures = [`the report of vitest can't be read: ${String(error)}`]
  }
  rmSync(folder, { recursive: true })
  if (code !== 0 && failures.length === 0) failures = errorsOutsideTests(code, text)
  // A file whose setup failed has no failed test, but one line in `failures`.
  return { name, passed, failed: failures.length, seconds: (performance.now() - startedAt) / 1000, failures }
}

/** CPU time of the whole machine, so that programs that outlive their parent are counted too. */
function cpuSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0) / 1_000
}

async function allChecks(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [name, command, ...args] of checks) outcomes.push(await check(name, command, args))
  return outcomes
}

const startedAt = performance.now()
const cpuAtStart = cpuSeconds()
const [checked, units] = await Promise.all([allChecks(), tests(UNITS)])
const outcomes = [...checked, units, ...(await Promise.all([TESTS, PATIENT].map(tests)))]

console.log('\n── verify')
for (const { name, passed, failed, seconds } of outcomes) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${passed} passed, ${failed} failed`,
  )
}
for (const failure of outcomes.flatMap((outcome) => outcome.failures)) console.log(`✗ ${failure}`)
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
console.log(
  `\n${((performance.now() - startedAt) / 60_000).toFixed(1)} min, ${(cpuSeconds() - cpuAtStart).toFixed(0)} s of CPU time on this machine`,
)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
