import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import type { Caller } from '../../src/access/caller.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { AccessScene, faultOf } from './access-scene.ts'

const PRO_PER_SECOND = 5
const PRO_BURST = 300

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open({ redisAnswersWithinMs: 250 })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(async () => {
  await scene.stack.engine('redis').restart()
  await scene.untilRedisReady()
})

interface Tally {
  admitted: number
  degraded: number
}

async function callAll(gates: readonly AccessControl[], caller: Caller, calls: number): Promise<Tally> {
  const call = async (_: unknown, index: number) => gates[index % gates.length]?.admit(caller)
  const tally = { admitted: 0, degraded: 0 }
  // In portions: a hundred requests at once would look like a slow Redis.
  for (let from = 0; from < calls; from += 20) {
    const answers = await Promise.allSettled(Array.from({ length: Math.min(20, calls - from) }, call))
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'rate_limited' })
      else if (answer.value !== undefined) {
        tally.admitted++
        if (answer.value.degraded) tally.degraded++
      }
    }
  }
  return tally
}

async function newCaller(accessControl: AccessControl): Promise<{ caller: Caller; keyId: string; key: string }> {
  const { key, stored } = await scene.newKey((await scene.newAccount('pro')).id)
  return { caller: await accessControl.authenticate(key, '10.0.0.1'), keyId: stored.id, key }
}

test.each([1, 2])(
  'Redis killed and restarted: %i nodes continue, and together never exceed the rate limit',
  async (nodeCount) => {
    const gates = Array.from({ length: nodeCount }, () => scene.newAccessControl({ nodeCount }))
    const { caller } = await newCaller(gates[0] ?? scene.newAccessControl())
    const sinceMs = performance.now()
    // Two nodes don't know each other's last few calls when Redis stops and when it is back.
    const unknown = 2 * (nodeCount - 1) * nodeCount
    const most = () => PRO_BURST + unknown + ((performance.now() - sinceMs) / 1_000) * PRO_PER_SECOND

    const before = await callAll(gates, caller, 100)
    expect(before).toMatchObject({ admitted: 100 })
    await scene.stack.engine('redis').kill()
    const during = await callAll(gates, caller, 600)
    expect(during.degraded).toBe(during.admitted)
    // The rest of the burst can still be used.
    expect(before.admitted + during.admitted).toBeGreaterThan(290)
    expect(before.admitted + during.admitted).toBeLessThanOrEqual(most())

    await scene.stack.engine('redis').restart()
    await scene.untilRedisReady()
    // Another account is used, because a refusal doesn't say which limiter refused.
    for (const accessControl of gates) {
      const { caller: other } = await newCaller(accessControl)
      await expect.poll(async () => (await accessControl.admit(other)).degraded, { timeout: 60_000 }).toBe(false)
    }
    const { admitted: after } = await callAll(gates, caller, 600)
    expect(before.admitted + during.admitted + after).toBeLessThanOrEqual(most())
  },
)

test('Redis unresponsive: no request waits longer than the timeout, and after five timeouts none waits', async () => {
  const troubles: unknown[] = []
  const accessControl = scene.newAccessControl({ onTrouble: (error) => troubles.push(error) })
  const { caller } = await newCaller(accessControl)
  await scene.stack.engine('redis').pause()
  const sinceMs = performance.now()
  const tally = await callAll([accessControl], caller, 200)
  const tookMs = performance.now() - sinceMs
  await scene.stack.engine('redis').resume()
  expect(tally).toEqual({ admitted: 200, degraded: 200 })
  expect(tookMs).toBeLessThan(30_000)
  expect(troubles.length).toBeGreaterThan(0)
})

test('without Redis a node admits its share of the rate limit', async () => {
  const accessControl = scene.newAccessControl({ nodeCount: 3 })
  const { caller } = await newCaller(accessControl)
  await scene.stack.engine('redis').kill()
  const sinceMs = performance.now()
  const { admitted } = await callAll([accessControl], caller, 500)
  expect(admitted).toBeGreaterThanOrEqual(PRO_BURST / 3)
  expect(admitted).toBeLessThanOrEqual(
    PRO_BURST / 3 + ((performance.now() - sinceMs) / 1_000) * (PRO_PER_SECOND / 3) + 1,
  )
})

test('without Redis a key can be revoked, and is refused when its cache entry is five seconds old', async () => {
  const accessControl = scene.newAccessControl()
  const { caller, keyId, key } = await newCaller(accessControl)
  await scene.stack.engine('redis').kill()
  const troubles: unknown[] = []
  const deps = { keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: (error: unknown) => troubles.push(error) }
  expect(await revokeKey(deps, keyId)).toBe(true)
  expect(troubles).toHaveLength(1)
  expect((await accessControl.admit(caller)).degraded).toBe(true)
  scene.aheadMs += 5_000
  expect((await faultOf(accessControl.authenticate(key, '10.0.0.1'))).code).toBe('unauthenticated')
})
