import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { environmentWith } from '@bookreel/stack/environment'
import { POOL_PORT } from '@bookreel/testbed/stacks/pool-messages'

const CLAIMS = 'service/test/conformance/conformance.test.ts'
/** Other tests of the file do not count. */
const CLAIM_GROUPS = 'claims'
const MOST_MS = 600_000

interface FailedTest {
  /** Id of the claim. */
  readonly claim: string
  /** The claim and its request. */
  readonly title: string
  /** First line of what the test says. */
  readonly message: string
}

export interface ClaimRun {
  readonly checked: number
  readonly failed: readonly FailedTest[]
  /** Why no claim was checked, such as a service that did not start. */
  readonly trouble: string | undefined
}

interface AssertionResult {
  /** The names of the groups around the test. */
  readonly ancestorTitles: readonly string[]
  readonly status: string
  readonly title: string
  readonly failureMessages?: readonly string[]
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly AssertionResult[]
  }[]
}

/** Which claims are run: all, all until the first one fails, or the tests of one claim. */
export type Selection = 'all' | 'until one fails' | { readonly claim: string }

/** Runs the conformance tests of a copy of the source. */
export async function runClaims(folder: string, poolPort: number, selection: Selection): Promise<ClaimRun> {
  const file = join(folder, 'claims.json')
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
  const args = ['run', '--project', 'tests', '--reporter', 'json', '--outputFile', file, ...argumentsOf(selection)]
  await rm(file, { force: true })
  const child = spawn(process.execPath, [vitest, ...args, CLAIMS], {
    cwd: folder,
    env: environmentWith({ [POOL_PORT]: String(poolPort) }),
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: MOST_MS,
  })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told = (told + text).slice(-2_000)))
  await once(child, 'close')
  if (!existsSync(file)) return { checked: 0, failed: [], trouble: told || 'the tests did not end' }
  const { testResults } = JSON.parse(await readFile(file, 'utf8')) as Report
  const results = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ ancestorTitles: [group = ''] }) => group.startsWith(CLAIM_GROUPS))
  const failed = results.filter(({ status }) => status === 'failed').map(failedTestOf)
  const checked = failed.length + results.filter(({ status }) => status === 'passed').length
  return { checked, failed, trouble: checked > 0 ? undefined : (testResults[0]?.message ?? told) }
}

function argumentsOf(selection: Selection): string[] {
  if (selection === 'all') return []
  if (selection === 'until one fails') return ['--bail', '1']
  return ['--testNamePattern', `${selection.claim.replaceAll('.', '\\.')} · `]
}

function failedTestOf({ title, failureMessages = [] }: AssertionResult): FailedTest {
  const [claim = title] = title.split(' · ')
  return { claim, title, message: stripVTControlCharacters(failureMessages[0] ?? '').split('\n', 1)[0] ?? '' }
}
