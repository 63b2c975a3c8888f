import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type FileCost, readFileCosts } from './file-costs.ts'
import { runProgram } from './run-program.ts'

export interface Outcome {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly seconds: number
  /** One line for each failed test, repeated at the end of the log. */
  readonly failures: readonly Failure[]
  readonly costs: readonly FileCost[]
}

export interface Failure {
  /** Undefined for a check, or an error outside of every file. */
  readonly file?: string
  readonly line: string
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

export interface TestRun {
  readonly name: string
  /** Arguments of `vitest run`: projects and files. */
  readonly args: readonly string[]
  readonly output?: 'shown' | 'kept'
}

/** Runs vitest once and reads its report. */
export async function runTests({ name, args, output = 'shown' }: TestRun): Promise<Outcome> {
  const startedAt = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-verify-'))
  const reportFile = join(folder, 'report.json')
  const costsFile = join(folder, 'costs.jsonl')
  const whole = ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  console.log(`\n── ${name}: vitest run ${args.join(' ')}`)
  const { code, text } = await runProgram('vitest', whole, output, { BOOKREEL_FILE_COSTS: costsFile })
  let passed = 0
  let failures: Failure[] = []
  let costs: FileCost[] = []
  try {
    const report: TestReport = JSON.parse(readFileSync(reportFile, 'utf8'))
    failures = failuresOf(report)
    passed = report.numPassedTests
    const seconds = report.testResults.map((file) => ({
      file: relative(process.cwd(), file.name),
      seconds: (file.endTime - file.startTime) / 1_000,
    }))
    costs = readFileCosts(costsFile, seconds)
  } catch (error) {
    failures = [{ line: `the report of vitest can't be read: ${String(error)}` }]
  }
  rmSync(folder, { recursive: true })
  if (code !== 0 && failures.length === 0) failures = errorsOutsideTests(code, text)
  if (output === 'kept' && failures.length > 0) console.log(text.trimEnd())
  // A file whose setup failed has no failed test, but one line in `failures`.
  return { name, passed, failed: failures.length, seconds: (performance.now() - startedAt) / 1_000, failures, costs }
}

function failuresOf(report: TestReport): Failure[] {
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    const lines = failed.map((test) => `${file} › ${test.fullName}: ${firstLine(test.failureMessages[0] ?? '')}`)
    const all = message === '' || failed.length > 0 ? lines : [`${file}: ${firstLine(message)}`]
    return all.map((line) => ({ file, line }))
  })
}

function firstLine(text: string): string {
  return stripVTControlCharacters(text).split('\n', 1)[0]?.slice(0, 200) ?? ''
}

/** An error outside of every test, or a worker that ended, is in the output of vitest only and not in its report. */
function errorsOutsideTests(code: number, text: string): Failure[] {
  const found = stripVTControlCharacters(text)
    .split(/⎯+ Unhandled (?:Error|Rejection) ⎯+\n/)
    .slice(1)
  const errors = found.map((part) => part.split('\n').filter(hasText).slice(0, 8).join('\n  '))
  return (errors.length > 0 ? errors : [`vitest ended with code ${code}, but no test failed`]).map((line) => ({ line }))
}

function hasText(line: string): boolean {
  return line.trim() !== ''
}
