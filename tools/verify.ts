/**
 * Everything a change must pass, in the order in which it fails fastest. The same command runs on a
 * developer's machine and in CI; its last line counts what passed: one for each check, one for each test.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Outcome {
  name: string
  passed: number
  failed: number
  seconds: number
}

const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'ci', '--error-on-warnings', '.'],
  ['lint with types', 'oxlint', '--type-aware', '--deny-warnings'],
  ['types', 'tsc', '--project', 'tsconfig.json'],
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
  return { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds: (performance.now() - startedAt) / 1000 }
}

/** A run that breaks before its report counts as one failure, so that it can never look like success. */
async function tests(): Promise<Outcome> {
  const startedAt = performance.now()
  console.log('\n── tests: vitest run')
  const folder = mkdtempSync(join(tmpdir(), 'bookreel-verify-'))
  const reportFile = join(folder, 'report.json')
  const code = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`])
  let passed = 0
  let failed = 0
  try {
    const report = JSON.parse(readFileSync(reportFile, 'utf8'))
    passed = report.numPassedTests
    failed = report.numTotalTests - report.numPassedTests - report.numPendingTests - report.numTodoTests
  } catch {
    failed = 1
  }
  rmSync(folder, { recursive: true })
  if (code !== 0 && failed === 0) failed = 1
  return { name: 'tests', passed, failed, seconds: (performance.now() - startedAt) / 1000 }
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
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
