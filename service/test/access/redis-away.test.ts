import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { TIER_LIMITS } from '../../src/domain/tier.ts'
import { AccessScene, faultOf } from './access-scene.ts'

const IP = '10.0.0.1'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(async () => {
  await scene.stack.engine('redis').restart()
  await scene.untilRedisReady()
})

test('without Redis a node admits its share of the rate limit', async () => {
  const accessControl = scene.newAccessControl({ nodeCount: () => 3, nowMs: () => 0 })
  const { key } = await scene.newKey((await scene.newAccount('pro')).id)
  const caller = await accessControl.authenticate(key, IP)
  await scene.stack.engine('redis').kill()
  const calls = await Promise.allSettled(Array.from({ length: 500 }, () => accessControl.admit(caller)))
  const admitted = calls.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(admitted).toHaveLength(TIER_LIMITS.pro.rpm / 3)
  expect(admitted.every(({ degraded }) => degraded)).toBe(true)
  for (const each of calls) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'rate_limited' })
})

test('without Redis a key can be revoked, and is refused when its cache entry is five seconds old', async () => {
  let nowMs = 0
  const accessControl = scene.newAccessControl({ nowMs: () => nowMs })
  const { key, stored } = await scene.newKey((await scene.newAccount('pro')).id)
  const caller = await accessControl.authenticate(key, IP)
  await scene.stack.engine('redis').kill()
  const troubles: unknown[] = []
  const deps = { keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: (error: unknown) => troubles.push(error) }
  expect(await revokeKey(deps, stored.id)).toBe(true)
  expect(troubles).toHaveLength(1)
  expect((await accessControl.admit(caller)).degraded).toBe(true)
  nowMs += 5_000
  expect((await faultOf(accessControl.authenticate(key, IP))).code).toBe('unauthenticated')
})
