/**
 * Everything a change must pass, in the order in which it fails fastest. The same command runs on a
 * developer's machine and in CI; its last line counts what passed: one for each check, one for each test.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

interface Outcome {
  name: string
  passed: number
  failed: number
  seconds: number
  /** One line for each failed test, repeated at the end, where a long log is read first. */
  complaints: Complaint[]
  /** The same of tests that passed when they were run again. */
  unsteady: Complaint[]
}

interface Complaint {
  test: string
  problem: string
}

interface TestReport {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** More than these are no matter of a busy moment. */
const MOST_UNSTEADY_FILES = 6

const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'ci', '--error-on-warnings', '.'],
  ['lint with types', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types', 'tsc', '--project', 'tsconfig.json'],
  ['types of pages', 'tsc', '--project', 'service/src/http/account-page/tsconfig.json'],
  ['dead code', 'knip'],
]

function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

async function check(name: string, command: string, args: string[]): Promise<Outcome> {
  const startedAt = performance.now()
  console.log(`\n── ${name}: ${command} ${args.join(' ')}`)
  const ok = (await run(command, args)) === 0
  return {
    name,
    passed: ok ? 1 : 0,
    failed: ok ? 0 : 1,
    seconds: (performance.now() - startedAt) / 1000,
    complaints: [],
    unsteady: [],
  }
}

function firstLine(text: string): string {
  return stripVTControlCharacters(text).split('\n', 1)[0]?.slice(0, 200) ?? ''
}

function complaintsOf(report: TestReport): Complaint[] {
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    const complaints = failed.map(({ fullName, failureMessages }) => ({
      test: `${file} › ${fullName}`,
      problem: firstLine(failureMessages[0] ?? ''),
    }))
    return message === '' || failed.length > 0 ? complaints : [{ test: file, problem: firstLine(message) }]
  })
}

/** Undefined when it broke before it could report. */
async function vitest(files: readonly string[]): Promise<TestReport | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-verify-'))
  const reportFile = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const code = await run('vitest', ['run', ...files, ...reporters])
  try {
    const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
    // What goes wrong outside of any test is in no list.
    return code !== 0 && failedFiles(report).length === 0 ? undefined : report
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function failedFiles({ testResults }: TestReport): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name)
}

/**
 * Files of which some test failed are run once more, all tests of them and with nothing beside them. What passes then
 * counts, and is named: a machine that was too busy for a moment is no defect, a test that is often unsteady is one.
 */
async function tests(): Promise<Outcome> {
  const startedAt = performance.now()
  console.log('\n── tests: vitest run')
  const first = await vitest([])
  const failed = first === undefined ? [] : failedFiles(first)
  const isWorthIt = failed.length > 0 && failed.length <= MOST_UNSTEADY_FILES
  if (isWorthIt) console.log(`\n── once more, alone: ${failed.map((file) => relative(process.cwd(), file)).join(', ')}`)
  const second = isWorthIt ? await vitest(failed) : undefined
  const seconds = (performance.now() - startedAt) / 1000
  if (first === undefined) return { name: 'tests', passed: 0, failed: 1, seconds, complaints: [], unsteady: [] }
  const complaints = complaintsOf(first)
  const latest = first.testResults.map((file) => second?.testResults.find(({ name }) => name === file.name) ?? file)
  const all = latest.flatMap(({ assertionResults }) => assertionResults)
  const count = (wanted: string): number => all.filter(({ status }) => status === wanted).length
  const isFailed = ({ status }: { status: string }): boolean => status === 'failed'
  // A file that breaks before its tests has none that failed.
  const brokenFiles = latest.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed)).length
  const stillWrong = complaintsOf({ testResults: latest })
  return {
    name: 'tests',
    passed: count('passed'),
    failed: count('failed') + brokenFiles,
    seconds,
    complaints: stillWrong,
    unsteady: complaints.filter(({ test }) => !stillWrong.some((complaint) => complaint.test === test)),
  }
}

const outcomes: Outcome[] = []
for (const [name, command, ...args] of checks) outcomes.push(await check(name, command, args))
outcomes.push(await tests())

console.log('\n── verify')
for (const { name, passed, failed, seconds } of outcomes) {
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${passed} passed, ${failed} failed`,
  )
}
for (const { complaints, unsteady } of outcomes) {
  for (const { test, problem } of unsteady) console.log(`~ passed at the second try: ${test}: ${problem}`)
  for (const { test, problem } of complaints) console.log(`✗ ${test}: ${problem}`)
}
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
