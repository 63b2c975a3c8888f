import assert from 'node:assert/strict'
import { type Clause, clause } from '../clause.ts'

export const captureClauses: readonly Clause[] = [
  clause('1', 'A market keeps the capture interval that it was first recorded with.', [
    {
      request: '/v1/markets/{closed_other}/gaps',
      as: 'enterprise',
      check: async ({ body }, scene) => {
        const { body: categories } = await scene.ask('enterprise', '/v1/categories')
        const sports = categories.find(({ id }: { id: string }) => id === 'sports')
        assert.deepEqual([body.capture_interval_ms, sports.captureIntervalMs], [250, 500])
      },
    },
  ]),
]
