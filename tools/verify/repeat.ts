import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Failure, type Outcome, runTests } from './run-tests.ts'

const AGAIN = 3
/** When more files failed, they have a common cause that a repetition does not show. */
const MOST_FILES = 5
const UNDER_LOAD = 20

/** Runs each file with a failed test again, alone, and tells how often it failed in all. */
export async function repeatFailures(failures: readonly Failure[]): Promise<void> {
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))]
  if (files.length > MOST_FILES) return console.log(`${files.length} files failed: not repeated`)
  for (const file of files) {
    let failed = 1
    const lines = failures.filter((failure) => failure.file === file).map(({ line }) => `first run: ${line}`)
    for (let again = 1; again <= AGAIN; again++) {
      const outcome = await runTests({ name: `${file} alone, ${again} of ${AGAIN}`, args: [file], output: 'kept' })
      if (outcome.failed > 0) failed++
      lines.push(...outcome.failures.map(({ line }) => `run ${again} alone: ${line}`))
    }
    console.log(`\n${file} failed in ${failed} of ${AGAIN + 1} runs\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

/** New and changed test files of the gate, each test twenty times, beside a process that keeps a core busy. */
export async function repeatUnderLoad(changed: readonly string[]): Promise<Outcome[]> {
  const files = changed.filter((file) => /(?<!\.nightly)\.test\.ts$/.test(file) && existsSync(file))
  if (files.length === 0) return []
  const busy = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
  try {
    const args = [...files, `--repeats=${UNDER_LOAD - 1}`]
    return [await runTests({ name: `changed test files ${UNDER_LOAD} times`, args, output: 'kept' })]
  } finally {
    busy.kill()
  }
}
