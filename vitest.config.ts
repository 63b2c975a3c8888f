import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const NIGHTLY = '**/*.nightly.test.ts'
/** Real browsers; one at a time. */
const BROWSER = ['console/test/**/*.test.ts', 'test/pages.nightly.test.ts']
/** Starts processes of its own, two experiments at a time. */
const EXPERIMENTS = 'lab/src/short-experiments.nightly.test.ts'
const UNITS = ['{service,simulator,stack,testbed,lab,sdk,cli,console}/src/**/*.test.ts']
/** In parts, one after the other with processes of their own: files of one process share memory, which grows with them. */
const TESTS = [
  ['service/test/[a-f]*/**/*.test.ts'],
  ['service/test/[g-l]*/**/*.test.ts'],
  ['service/test/[m-z]*/**/*.test.ts', 'service/test/*.test.ts'],
  ['{simulator,stack,testbed,lab,sdk,cli}/test/**/*.test.ts', 'test/**/*.test.ts'],
]

interface Part {
  readonly name: string
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  /** Engines run beside the workers, so two of them keep two cores busy. */
  readonly workers: 1 | 2
}

/** Run one after the other. The gate is everything whose name does not begin with `nightly`. */
const PARTS: readonly Part[] = [
  { name: 'units', include: UNITS, exclude: [NIGHTLY], workers: 2 },
  ...TESTS.map((include, at): Part => ({ name: `tests ${at + 1}`, include, exclude: [NIGHTLY], workers: 2 })),
  { name: 'browser', include: BROWSER, exclude: [NIGHTLY], workers: 1 },
  { name: 'nightly', include: [NIGHTLY], exclude: [...BROWSER, EXPERIMENTS], workers: 1 },
  { name: 'nightly experiments', include: [EXPERIMENTS], workers: 1 },
  { name: 'nightly browser', include: BROWSER.map((each) => each.replace('*.test', '*.nightly.test')), workers: 1 },
]

export default defineConfig({
  // The SDK is used by its name without being built first.
  resolve: { alias: { '@bookreel/sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) } },
  test: {
    // Real engines are started inside some tests; their first start on a cold disk is slow.
    testTimeout: 300_000,
    hookTimeout: 360_000,
    maxConcurrency: 2,
    expect: { poll: { timeout: 120_000 } },
    globalSetup: ['testbed/src/stacks/vitest-setup.ts'],
    setupFiles: ['testbed/src/file-cost.ts'],
    projects: PARTS.map(({ name, include, exclude = [], workers }, groupOrder) => ({
      extends: true as const,
      test: {
        name,
        include: [...include],
        exclude: ['**/node_modules/**', ...exclude],
        isolate: false,
        maxWorkers: workers,
        sequence: { groupOrder },
      },
    })),
  },
})
