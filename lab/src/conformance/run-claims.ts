import { runTests, type TestResult, testsNamed } from '../defects/run-tests.ts'

const CLAIMS = 'service/test/conformance/conformance.test.ts'
/** Other tests of the file do not count. */
const CLAIM_GROUPS = 'claims'

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

/** Which claims are run: all, all until the first one fails, or the tests of one claim. */
export type Selection = 'all' | 'until one fails' | { readonly claim: string }

/** Runs the conformance tests of a copy of the source. */
export async function runClaims(folder: string, poolPort: number, selection: Selection): Promise<ClaimRun> {
  const { results, trouble } = await runTests(folder, poolPort, CLAIMS, optionsOf(selection))
  const claims = results.filter(({ groups: [group = ''] }) => group.startsWith(CLAIM_GROUPS))
  return {
    checked: claims.length,
    failed: claims.flatMap(failedTestOf),
    trouble: claims.length > 0 ? undefined : (trouble ?? 'no claim was checked'),
  }
}

function optionsOf(selection: Selection): string[] {
  if (selection === 'all') return []
  return selection === 'until one fails' ? ['--bail', '1'] : testsNamed([`${selection.claim} · `])
}

function failedTestOf({ title, failure }: TestResult): FailedTest[] {
  if (failure === undefined) return []
  const [claim = title] = title.split(' · ')
  return [{ claim, title, message: failure }]
}
