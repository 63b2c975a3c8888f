/**
 * Everything a change must pass. The same command runs on a developer's machine and in CI; its last line counts what
 * passed: one for each check, one for each test. Checks run one after the other beside the tests.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

interface Outcome {
  name: string
  passed: number
  failed: number
  seconds: number
  /** One line for each failed test, repeated at the end, where a long log is read first. */
  complaints: string[]
}

interface TestReport {
  numPassedTests: number
  testResults: {
    name: string
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

/** What checks print is shown when they have ended, so that it doesn't mix with the output of the tests. */
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
    complaints: [],
  }
}

function firstLine(text: string): string {
  return stripVTControlCharacters(text).split('\n', 1)[0]?.slice(0, 200) ?? ''
}

function complaintsOf(report: TestReport): string[] {
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    const lines = failed.map((test) => `${file} › ${test.fullName}: ${firstLine(test.failureMessages[0] ?? '')}`)
    return message === '' || failed.length > 0 ? lines : [`${file}: ${firstLine(message)}`]
  })
}

/** A run that breaks before its report counts as one failure, so that it can never look like success. */
async function tests(): Promise<Outcome> {
  const startedAt = performance.now()
  console.log('\n── tests: vitest run')
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-verify-'))
  const reportFile = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const { code } = await run('vitest', ['run', ...reporters], 'shown')
  let passed = 0
  let failed = 0
  let complaints: string[] = []
  try {
    const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
    complaints = complaintsOf(report)
    passed = report.numPassedTests
    // A file whose preparation failed has no failed test, but it has a complaint.
    failed = complaints.length
  } catch {
    failed = 1
  }
  rmSync(folder, { recursive: true })
  if (code !== 0 && failed === 0) failed = 1
  return { name: 'tests', passed, failed, seconds: (performance.now() - startedAt) / 1000, complaints }
}

/** Of this machine since it started, minus the same before: programs that outlive their parent are counted too. */
function processorSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0) / 1_000
}

async function allChecks(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [name, command, ...args] of checks) outcomes.push(await check(name, command, args))
  return outcomes
}

const startedAt = performance.now()
const processorAtStart = processorSeconds()
const [checked, tested] = await Promise.all([allChecks(), tests()])
const outcomes = [...checked, tested]

console.log('\n── verify')
for (const { name, passed, failed, seconds } of outcomes) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${passed} passed, ${failed} failed`,
  )
}
for (const complaint of outcomes.flatMap((outcome) => outcome.complaints)) console.log(`✗ ${complaint}`)
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
console.log(
  `\n${((performance.now() - startedAt) / 60_000).toFixed(1)} min, ${(processorSeconds() - processorAtStart).toFixed(0)} s of processor time on this machine`,
)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
