import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { environmentWith } from '@bookreel/stack/environment'
import { POOL_PORT } from '@bookreel/testbed/stacks/pool-messages'

const MOST_MS = 600_000
const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

export interface TestResult {
  /** The names of the groups around the test. */
  readonly groups: readonly string[]
  readonly title: string
  /** First line of what a failed test says. */
  readonly failure: string | undefined
}

export interface TestRun {
  /** Tests that passed or failed, without those that were left out. */
  readonly results: readonly TestResult[]
  /** What was said when no test ran, such as why a service did not start. */
  readonly trouble: string | undefined
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly status: string
      readonly title: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

/**
 * Runs one test file of a copy of the source; `options` are those of vitest. Without a pool the tests start stacks of
 * their own, which are configured by the copy.
 */
export async function runTests(
  folder: string,
  poolPort: number | undefined,
  file: string,
  options: readonly string[] = [],
): Promise<TestRun> {
  const output = join(folder, 'test-report.json')
  await rm(output, { force: true })
  const env = environmentWith({})
  if (poolPort === undefined) delete env[POOL_PORT]
  else env[POOL_PORT] = String(poolPort)
  const child = spawn(
    process.execPath,
    [VITEST, 'run', '--reporter', 'json', '--outputFile', output, ...options, file],
    {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: MOST_MS,
    },
  )
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told = (told + text).slice(-2_000)))
  await once(child, 'close')
  if (!existsSync(output)) return { results: [], trouble: told || 'the tests did not end' }
  const { testResults } = JSON.parse(await readFile(output, 'utf8')) as Report
  const results = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ ancestorTitles, title, status, failureMessages = [] }) => ({
      groups: ancestorTitles,
      title,
      failure: status === 'failed' ? firstLineOf(failureMessages[0] ?? '') : undefined,
    }))
  return { results, trouble: results.length > 0 ? undefined : testResults[0]?.message || told }
}

/** The options of vitest that select the tests whose full name contains one of the texts. */
export function testsNamed(names: readonly string[]): string[] {
  return ['--testNamePattern', names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')]
}

function firstLineOf(text: string): string {
  return stripVTControlCharacters(text).split('\n', 1)[0] ?? ''
}
