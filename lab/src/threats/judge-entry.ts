import { runTests, type TestRun, testsNamed } from '../defects/run-tests.ts'
import type { SourceCopy } from '../defects/source-copy.ts'
import type { ThreatEntry } from './threat-entry.ts'

/** What a test says about what it observed: an assertion, a condition that did not come, or a property. */
const OBSERVED = /^(AssertionError|Error: (expected|not within|property failed|matcher did not succeed))/i
/** What is said when there was nothing to observe. */
const NOT_STARTED = /stack pool|not ready|before it was ready|ECONNREFUSED|Failed to (load|parse)|SyntaxError/
/** A service that does not start in time shows nothing about a defence. */
const MOST_TRIES = 3

interface Verdict {
  /** The test passes with the defence and fails without it. */
  readonly seen: boolean
  /** What the test says without the defence, or why the entry does not count. */
  readonly says: string
}

export interface Judged extends Verdict {
  readonly id: string
  readonly defence: string
  readonly removal: ThreatEntry['removal']
  readonly test: ThreatEntry['test']
  readonly seconds: number
}

/** Judges the entries of one test file; its tests are run once without a removal. */
export async function judgeEntries(
  copy: SourceCopy,
  poolPort: number,
  entries: readonly ThreatEntry[],
  onJudged: (judged: Judged) => Promise<void>,
): Promise<void> {
  const failing = await namesWithoutControl(copy, poolPort, entries)
  for (const entry of entries) {
    const startedAtMs = performance.now()
    const reason = failing.get(entry.test.name)
    const { seen, says } =
      reason === undefined
        ? await failsWithout(copy, poolPort, entry)
        : { seen: false, says: `with the defence: ${reason}` }
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000)
    await onJudged({ ...entry, seen, says, seconds })
  }
}

/** The tests that do not pass with all defences in place, with the reason. */
async function namesWithoutControl(
  copy: SourceCopy,
  poolPort: number,
  entries: readonly ThreatEntry[],
): Promise<ReadonlyMap<string, string>> {
  let names = [...new Set(entries.map(({ test }) => test.name))]
  let failing = new Map<string, string>()
  for (let tries = 1; tries <= MOST_TRIES && names.length > 0; tries++) {
    const run = await runTests(copy.folder, poolPort, fileOf(entries), testsNamed(names))
    failing = new Map(names.flatMap((name) => reasonsAgainst(name, run)))
    names = [...failing.keys()]
  }
  return failing
}

function reasonsAgainst(name: string, run: TestRun): [name: string, reason: string][] {
  const ran = namedIn(run, name)
  if (ran.length === 0) return [[name, run.trouble ?? 'no test has this name']]
  const failed = ran.find(({ failure }) => failure !== undefined)
  return failed === undefined ? [] : [[name, failed.failure ?? '']]
}

async function failsWithout(copy: SourceCopy, poolPort: number, entry: ThreatEntry): Promise<Verdict> {
  const { id, defence, removal } = entry
  await using _removed = await copy.apply({ name: `${id}: ${defence}`, ...removal })
  const verdict = await failsWith(copy, poolPort, entry)
  // Engines of the pool are configured by the source, not by the copy.
  return verdict.seen ? verdict : await failsWith(copy, undefined, entry)
}

/** A failure that may come from a busy machine counts when the test fails again. */
async function failsWith(copy: SourceCopy, poolPort: number | undefined, { test }: ThreatEntry): Promise<Verdict> {
  let says = ''
  let doubtful = 0
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const run = await runTests(copy.folder, poolPort, test.file, testsNamed([test.name]))
    const ran = namedIn(run, test.name)
    const failures = ran.flatMap(({ failure }) => failure ?? [])
    const observed = failures.find((failure) => OBSERVED.test(failure))
    if (observed !== undefined) return { seen: true, says: observed }
    if (ran.length > 0 && failures.length === 0) return { seen: false, says: 'the test passes without the defence' }
    says = failures[0] ?? run.trouble ?? 'no test ran'
    if (failures.length > 0 && !NOT_STARTED.test(says)) doubtful++
    if (doubtful === 2) return { seen: true, says }
  }
  return { seen: false, says }
}

function namedIn({ results }: TestRun, name: string): TestRun['results'] {
  return results.filter(({ groups, title }) => [...groups, title].join(' ').includes(name))
}

function fileOf(entries: readonly ThreatEntry[]): string {
  return entries[0]?.test.file ?? ''
}
