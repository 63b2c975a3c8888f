import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{service,simulator,stack,lab}/{src,test}/**/*.test.ts', 'test/**/*.test.ts'],
    // Real engines are started inside some tests; their first start on a cold disk is slow.
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
