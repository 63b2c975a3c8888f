import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests that hold something against the clock, or bring engines down: beside others they would measure the others. */
const ALONE = [
  'lab/src/**/*.test.ts',
  'service/test/{access,archive,capture,faults,gateway,latest,prober,workers}/**/*.test.ts',
  'service/test/http/stores-away.test.ts',
  'service/test/venues/*-live.test.ts',
  '{simulator,stack}/test/**/*.test.ts',
]
const ALL = ['{service,simulator,stack,testbed,lab,sdk,cli}/{src,test}/**/*.test.ts', 'test/**/*.test.ts']

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
    projects: [
      {
        extends: true,
        test: { name: 'together', include: ALL, exclude: ALONE, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
