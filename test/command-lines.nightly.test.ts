// Nightly: it starts every program several times, which costs 20 seconds of CPU time.
// Covers: tools/ package.json service/src/commands/ cli/src/ stack/src/main.ts simulator/src/main.ts lab/src/run-lab.ts
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { allExperiments } from '../lab/src/all-experiments.ts'
import { runLab } from '../lab/src/run-lab.ts'
import { ROOT, textOf } from './repository.ts'

const { version } = JSON.parse(textOf('package.json')) as { version: string }

/** The commands of `service/` are walked in `service/src/commands/server-program.test.ts`. */
const PROGRAMS: [file: string, ...words: string[]][] = [
  ['service/src/main.ts'],
  ['cli/src/main.ts'],
  ['stack/src/main.ts'],
  ['stack/src/main.ts', 'up'],
  ['simulator/src/main.ts'],
  ['simulator/src/main.ts', 'listen'],
  ['lab/src/main.ts'],
  ['tools/dev.ts'],
  ['tools/record-simulated.ts'],
  ['tools/visit-console.ts'],
  ['tools/pictures.ts'],
  ['tools/verify.ts'],
  ['tools/write-docs.ts'],
  ['tools/complete-lock.ts'],
]

function run(file: string, ...args: string[]): Promise<{ stdout: string }> {
  const options = ['--conditions=bookreel-source', '--disable-warning=ExperimentalWarning']
  return promisify(execFile)(process.execPath, [...options, join(ROOT, file), ...args], { cwd: ROOT })
}

test.each(PROGRAMS)('%s %s: --help has an example, --version is that of the project', async (file, ...words) => {
  const [help, printed] = await Promise.all(['--help', '--version'].map((option) => run(file, ...words, option)))
  expect(help?.stdout).toMatch(/^(Usage: |npm run |node )/)
  expect(help?.stdout).toMatch(/^Examples?:\n +\S/m)
  expect(printed?.stdout).toBe(`${version}\n`)
})

test.each(['tools/dev.ts', 'tools/verify.ts'])(
  '%s: an unknown option is wrong usage, without a stack trace',
  async (file) => {
    const failure = await run(file, '--nosuch').catch((error: { code: number; stderr: string }) => error)
    expect(failure).toMatchObject({ code: 2, stderr: expect.stringMatching(/--nosuch[\s\S]*Add --help/) })
    expect(failure).toMatchObject({ stderr: expect.not.stringMatching(/^ +at /m) })
  },
)

test.each(allExperiments.map(({ name }) => name))(
  'lab %s: --help has an example, and there is a version',
  async (name) => {
    let out = ''
    const write = (text: string) => {
      out += text
    }
    const screen = { out: write, err: write, colour: false, live: false }
    expect(await runLab([name, '--help'], allExperiments, screen)).toBe(0)
    expect(out).toMatch(/^Example:\n/m)
    out = ''
    expect(await runLab([name, '--version'], allExperiments, screen)).toBe(0)
    expect(out).toBe(`${version}\n`)
  },
)
