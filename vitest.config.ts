import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './testbed/src/longest-first.ts'

/** Runs two experiments at a time by itself, each with processes of its own. */
const SHORT_EXPERIMENTS = 'lab/src/short-experiments.nightly.test.ts'
const UNITS = ['{service,simulator,stack,testbed,lab,sdk,cli,console}/src/**/*.test.ts']
/** In parts, one after the other with processes of their own: files of one process share memory, which grows with them. */
const TESTS = [
  ['service/test/[a-c]*/**/*.test.ts'],
  ['service/test/[d-f]*/**/*.test.ts'],
  ['service/test/[g-l]*/**/*.test.ts'],
  ['service/test/[m-z]*/**/*.test.ts', 'service/test/*.test.ts'],
  ['{simulator,stack,testbed,lab,sdk,cli,console}/test/**/*.test.ts', 'test/**/*.test.ts'],
]
/** Files whose results do not depend on how fast they run. `npm run verify` runs them beside the other tests. */
const PATIENT = [
  ['test/pages.test.ts', 'test/command-lines.test.ts', 'test/image.test.ts', 'cli/test/{commands,download}.test.ts'],
  [
    'service/test/conformance/conformance.test.ts',
    'service/test/{access,account,clickhouse,commands,files,logins,mcp,payments,rebuild,usage}/**/*.test.ts',
  ],
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
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        // Nothing outlives these tests, so many files can share a process.
        test: { name: 'units', include: UNITS, exclude: [SHORT_EXPERIMENTS], isolate: false, maxWorkers: 2 },
      },
      ...TESTS.map((include, index) => ({
        extends: true as const,
        // Engines and roles run beside the workers, so more workers than cores make tests of time limits fail.
        test: {
          name: `tests ${index + 1}`,
          include,
          exclude: PATIENT.flat(),
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 + index },
        },
      })),
      ...PATIENT.map((include, index) => ({
        extends: true as const,
        test: {
          name: `patient ${index + 1}`,
          include,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 + TESTS.length + index },
        },
      })),
      {
        extends: true,
        test: {
          name: 'experiments',
          include: [SHORT_EXPERIMENTS],
          maxWorkers: 1,
          sequence: { groupOrder: 1 + TESTS.length + PATIENT.length },
        },
      },
    ],
  },
})
