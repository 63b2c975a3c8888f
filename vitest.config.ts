import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './testbed/src/longest-first.ts'

/** Runs two experiments at a time by itself, each with processes of its own. */
const SHORT_EXPERIMENTS = 'lab/src/short-experiments.test.ts'
const UNITS = ['{service,simulator,stack,testbed,lab,sdk,cli}/src/**/*.test.ts']
const TESTS = ['{service,simulator,stack,testbed,lab,sdk,cli}/test/**/*.test.ts', 'test/**/*.test.ts']

export default defineConfig({
  // The SDK is used by its name without being built first.
  resolve: { alias: { '@bookreel/sdk': fileURLToPath(new URL('sdk/src/index.ts', import.meta.url)) } },
  test: {
    // Real engines are started inside some tests; their first start on a cold disk is slow.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    maxConcurrency: 2,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: ['testbed/src/stacks/vitest-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        // Nothing outlives these tests, so many files can share a process.
        test: { name: 'units', include: UNITS, exclude: [SHORT_EXPERIMENTS], isolate: false, maxWorkers: 3 },
      },
      {
        extends: true,
        // Engines and roles run beside the workers, so more workers than cores make tests of time limits fail.
        test: { name: 'tests', include: TESTS, isolate: false, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'experiments', include: [SHORT_EXPERIMENTS], maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
