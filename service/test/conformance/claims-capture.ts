import assert from 'node:assert/strict'
import { vi } from 'vitest'
import { type Claim, claim } from './claim.ts'

/** The scene sets 100 ms for this category. */
const SOCIAL_MS = 100

type Live = { conditionId: string; slug: string }

export const captureClaims: readonly Claim[] = [
  claim('1', 'capture.interval-setting', 'The capture interval of a category is a setting, for example 100 ms.', [
    {
      request: '/v1/categories',
      as: 'free',
      check: async ({ body }, scene) => {
        assert.equal(body.find(({ id }: { id: string }) => id === 'social').captureIntervalMs, SOCIAL_MS)
        const { body: live } = await scene.ask('pro', '/v1/markets/live?category=social')
        const recorded: Live = live.find(({ slug }: Live) => slug.startsWith('elon'))
        const snapshots = await vi.waitUntil(
          async () => {
            const path = `/v1/markets/${recorded.conditionId}/snapshots?side=UP&limit=100`
            const { body: page } = await scene.ask('enterprise', path)
            return page.snapshots.length > 1 ? page.snapshots : undefined
          },
          { timeout: 120_000, interval: 500 },
        )
        for (const { sequence_number: slot, capture_timestamp: at } of snapshots)
          assert.ok(Math.abs(Date.parse(at) - slot * SOCIAL_MS) < 5_000)
      },
    },
  ]),
  claim('1', 'capture.interval-kept', 'A market keeps the capture interval that it was first recorded with.', [
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
