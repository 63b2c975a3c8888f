import { expect, test } from 'vitest'
import { textOf, trackedFiles } from './repository.ts'

/** What is made by `npm run docs` is read by compilers. */
const sources = trackedFiles().filter((file) => /\.tsx?$/.test(file) && !file.startsWith('sdk/src/generated/'))
const linesOf = (file: string): number => textOf(file).split('\n').length - 1

test('files can be read in one sitting: none above 400 lines, half of them at most 150', () => {
  const lengths = sources.map((file) => ({ file, lines: linesOf(file) }))
  expect(lengths.filter(({ lines }) => lines > 400)).toEqual([])
  const median = lengths.map(({ lines }) => lines).toSorted((one, other) => one - other)[Math.floor(lengths.length / 2)]
  expect(median).toBeLessThanOrEqual(150)
})

test('no drawer for things without a home', () => {
  const drawers = /(^|[/-])(utils?|helpers?|common|misc|manager)(\.|\/|-)/
  expect(trackedFiles().filter((file) => drawers.test(file))).toEqual([])
})

test('a nightly test file begins with the reason why it is not in the gate', () => {
  const nightly = trackedFiles().filter((file) => file.endsWith('.nightly.test.ts'))
  expect(nightly.filter((file) => !/^\/\/ Nightly: \w.*\.\n/.test(textOf(file)))).toEqual([])
  expect(nightly.length).toBeGreaterThan(0)
})

/** A recorder beside a test costs CPU time for every second, and brings rows when the machine has time. */
const STARTS_A_RECORDER = /\brecord: (true|\{)|\b(captureScene|openRecordScene)\(|\bRecorder\.start\(/

test('only nightly tests start a recorder that runs in real time, at most ten with a whole service', () => {
  const tests = trackedFiles().filter((file) => file.endsWith('.test.ts'))
  const recorded = tests.filter((file) => STARTS_A_RECORDER.test(textOf(file)))
  expect(recorded.filter((file) => !file.endsWith('.nightly.test.ts'))).toEqual([])
  expect(tests.filter((file) => /\brecord: (true|\{)/.test(textOf(file))).length).toBeLessThanOrEqual(10)
})

interface LockedPackage {
  version: string
  resolved?: string
  link?: boolean
  integrity?: string
  hasInstallScript?: boolean
  optional?: boolean
  engines?: Record<string, string>
  os?: string[] | string
  cpu?: string[]
  optionalDependencies?: Record<string, string>
}

/** An engine for development, which the image does not contain. The registry that we use does not have it. */
const WITHOUT_CHECKSUM = 'node_modules/@chdb/lib-linux-arm64-gnu'

test('the lock file names no registry, and everything that can be installed on Linux has a checksum', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> }
  for (const [path, { resolved, link, integrity, os, cpu }] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || link) continue
    expect(resolved, path).toBeUndefined()
    const isOurs = (os?.includes('linux') ?? true) && ['x64', 'arm64'].some((each) => cpu?.includes(each) ?? true)
    if (isOurs && path !== WITHOUT_CHECKSUM) expect(integrity, path).toMatch(/^sha512-/)
  }
})

/** Their install scripts were read; `.npmrc` does not run them anyway. */
const KNOWN_INSTALL_SCRIPTS = ['node_modules/chdb']

test('no package brings an install script that nobody has read, and npm runs none', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(scripted.map(([path]) => path)).toEqual(KNOWN_INSTALL_SCRIPTS)
  expect(textOf('.npmrc')).toMatch(/^ignore-scripts=true$/m)
})

test('the lock file is complete: npm ci accepts it (if not: npm run lock)', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const asked = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies))
  const missing = asked.filter(([name, version]) => /^\d/.test(version) && !(`node_modules/${name}` in packages))
  expect(missing).toEqual([])
})

test('the lock file lets an older Node install optional packages for Node 24 (if not: npm run lock)', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const limited = Object.entries(packages).filter(([, { optional, engines }]) => optional && engines !== undefined)
  expect(limited.map(([path]) => path)).toEqual([])
})

test('every dependency is pinned to one version and has a reason in docs/dependencies.md', () => {
  const reasons = textOf('docs/dependencies.md')
  for (const file of trackedFiles().filter((each) => /(^|\/)package\.json$/.test(each))) {
    const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = JSON.parse(textOf(file))
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version, `${file}: ${name}`).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
      if (!name.startsWith('@bookreel/')) expect(reasons, `${file}: ${name} has no reason`).toContain(`\`${name}\``)
    }
  }
})

test('the newest entry of the changelog is the version of every package, and dates fall', () => {
  const entries = [...textOf('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) · (\d{4}-\d{2}-\d{2})$/gm)]
  const [newest] = entries
  for (const file of trackedFiles().filter((each) => /(^|\/)package\.json$/.test(each))) {
    expect(JSON.parse(textOf(file)).version, file).toBe(newest?.[1])
  }
  const dates = entries.map(([, , date]) => date ?? '')
  expect(dates).toEqual(dates.toSorted((one, other) => other.localeCompare(one)))
})

/** pino serialises an Error only under `err`; under `error` it prints `{}`. */
const LOGGED_AS_ERROR =
  /\blog\.(?:trace|debug|info|warn|error|fatal)\(\s*\{(?:[^{}]|\{[^{}]*\})*\berror\b\s*(?:,|\}|:\s)/g

test('a logged error is called err, so that its message and stack are printed', () => {
  const calls = (text: string): string[] =>
    [...text.matchAll(LOGGED_AS_ERROR)].filter(([call]) => !/\berr: error\s*[,}]$/.test(call)).map(([call]) => call)
  for (const wrong of [
    'log.warn({ error }, "x")',
    'this.#log.error({ shard, error: cause }, "x")',
    'log.warn({ err: error, error }, "x")',
  ])
    expect(calls(wrong), wrong).toHaveLength(1)
  for (const right of ['log.warn({ err: error, shard }, "x")', 'log.error({ shard, err: error }, "x")'])
    expect(calls(right), right).toHaveLength(0)
  const written = sources
    .filter((file) => file.includes('/src/'))
    .flatMap((file) => calls(textOf(file)).map((call) => `${file}: ${call}`))
  expect(written).toEqual([])
})
