/**
 * Runs every check and test that a change must pass, on a developer's machine and in CI. The last line counts passed and
 * failed checks and tests. Checks run one after the other, in parallel with the tests.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { answerHelp, refuseOthersThan } from './tool-help.ts'

answerHelp(`npm run verify

Runs every check and test that a change must pass. The last line counts passed and failed checks and tests; the exit
code is 1 when one failed.

  --help               show this help
  --version            print the version

Example:
  npm run verify
`)
refuseOthersThan()

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
  ['types of pages', 'tsc', '--project', 'service/src/http/account-page/tsconfig.json'],
  ['dead code', 'knip'],
]

/** The output of a check is printed when it ends, so that it does not mix with the output of the tests. */
function run(command: string, args: string[], output: 'shown' | 'kept'): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: output === 'shown' ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
    const parts: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => parts.push(part))
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

/** A run without a report counts as one failure, so that it never looks like success. */
async function tests(): Promise<Outcome> {
  const startedAt = performance.now()
  console.log('\n── tests: vitest run')
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-verify-'))
  const reportFile = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const { code } = await run('vitest', ['run', ...reporters], 'shown')
  let passed = 0
  let failed = 0
  let failures: string[] = []
  try {
    const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
    failures = failuresOf(report)
    console.log(`\nslowest files\n${slowestOf(report).join('\n')}`)
    passed = report.numPassedTests
    // A file whose setup failed has no failed test, but one line in `failures`.
    failed = failures.length
  } catch {
    failed = 1
  }
  rmSync(folder, { recursive: true })
  if (code !== 0 && failed === 0) failed = 1
  return { name: 'tests', passed, failed, seconds: (performance.now() - startedAt) / 1000, failures }
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
const [checked, tested] = await Promise.all([allChecks(), tests()])
const outcomes = [...checked, tested]

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
