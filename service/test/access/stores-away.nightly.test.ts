// Nightly: suspends engines, or kills them again and again, and measures in seconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import type { Caller } from '../../src/access/caller.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { RateLimits } from '../../src/stores/accounts/rate-limits.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { AccessScene } from './access-scene.ts'

const IP = '10.0.0.1'
const PURCHASE = { credits: 10, endpoint: 'list-market-snapshots', fingerprint: 'f', requestId: 'r' }
const PRO_PER_SECOND = 5
const PRO_BURST = 300

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open({ redisAnswersWithinMs: 250, postgresAnswersWithinMs: 10_000 })
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

async function newCaller(accessControl: AccessControl): Promise<Caller> {
  const { key } = await scene.newKey((await scene.newAccount('pro')).id)
  return accessControl.authenticate(key, IP)
}

test.each([1, 2])(
  'Redis killed and restarted: %i nodes continue, and together never exceed the rate limit',
  async (nodeCount) => {
    const gates = Array.from({ length: nodeCount }, () => scene.newAccessControl({ nodeCount: () => nodeCount }))
    const caller = await newCaller(gates[0] ?? scene.newAccessControl())
    const sinceMs = performance.now()
    // Two nodes don't know each other's last few calls when Redis stops and when it is back.
    const unknown = 2 * (nodeCount - 1) * nodeCount
    const most = () => PRO_BURST + unknown + ((performance.now() - sinceMs) / 1_000) * PRO_PER_SECOND

    const before = await callAll(gates, caller, 100)
    expect(before).toMatchObject({ admitted: 100 })
    await scene.stack.engine('redis').kill()
    const during = await callAll(gates, caller, 600)
    expect(during.degraded).toBe(during.admitted)
    // The rest of the burst can still be used, but for what others may use within two seconds.
    expect(before.admitted + during.admitted).toBeGreaterThan(PRO_BURST - 2 * PRO_PER_SECOND - 5)
    expect(before.admitted + during.admitted).toBeLessThanOrEqual(most())

    await scene.stack.engine('redis').restart()
    await scene.untilRedisReady()
    // Another account is used, because a refusal doesn't say which limiter refused.
    for (const accessControl of gates) {
      const other = await newCaller(accessControl)
      await expect.poll(async () => (await accessControl.admit(other)).degraded).toBe(false)
    }
    const { admitted: after } = await callAll(gates, caller, 600)
    expect(before.admitted + during.admitted + after).toBeLessThanOrEqual(most())
  },
)

test('Redis unresponsive: no request waits longer than the timeout, and after five timeouts none waits', async () => {
  const troubles: unknown[] = []
  const accessControl = scene.newAccessControl({ onTrouble: (error) => troubles.push(error) })
  const caller = await newCaller(accessControl)
  await accessControl.admit(caller)
  await scene.stack.engine('redis').pause()
  const sinceMs = performance.now()
  const tally = await callAll([accessControl], caller, 200)
  const tookMs = performance.now() - sinceMs
  await scene.stack.engine('redis').resume()
  expect(tally).toEqual({ admitted: 200, degraded: 200 })
  expect(tookMs).toBeLessThan(30_000)
  expect(troubles.length).toBeGreaterThan(0)
})

test('Redis too slow for some calls: three nodes together never admit more than burst + rate · time', async () => {
  const url = scene.stack.variable('REDIS_URL')
  const connections = Array.from({ length: 3 }, () => new RedisConnection({ url, answerWithinMs: 50 }))
  for (const redis of connections) await scene.untilRedisReady(redis)
  const gates = connections.map((redis) =>
    scene.newAccessControl({ rateLimits: new RateLimits(redis), nodeCount: () => 3 }),
  )
  const caller = await newCaller(gates[0] ?? scene.newAccessControl())
  const sinceMs = performance.now()
  let [admitted, degraded, excess] = [0, 0, Number.NEGATIVE_INFINITY]
  let isOver = false
  const ask = async (accessControl: AccessControl): Promise<void> => {
    while (!isOver) {
      const answer = await accessControl.admit(caller).catch(() => undefined)
      if (answer !== undefined) {
        admitted++
        if (answer.degraded) degraded++
        const seconds = (performance.now() - sinceMs) / 1_000
        excess = Math.max(excess, admitted - PRO_BURST - seconds * PRO_PER_SECOND)
      }
      await sleep(5)
    }
  }
  const asking = [...gates, ...gates].map(ask)
  await vi.waitUntil(() => admitted > 30, { timeout: 120_000 })
  // Once while most of the burst is left, and then while the account uses its whole rate.
  for (const pauseMs of [100, 300, 1_500, 200, 2_500]) {
    await scene.stack.engine('redis').pause()
    await sleep(pauseMs)
    await scene.stack.engine('redis').resume()
    await sleep(1_000)
  }
  isOver = true
  await Promise.all(asking)
  for (const redis of connections) await redis.close()
  expect(degraded).toBeGreaterThan(0)
  expect(admitted).toBeGreaterThan(PRO_BURST / 2)
  expect(excess).toBeLessThanOrEqual(1)
})

test('PostgreSQL unresponsive: a cached key waits for the timeout once and then not at all', async () => {
  await using database = openDatabase({ url: scene.stack.variable('DATABASE_URL'), answerWithinMs: 300 })
  const { key } = await scene.newKey((await scene.newAccount('pro')).id)
  const accessControl = scene.newAccessControl({ keys: new Keys(database), ledger: new CreditLedger(database) })
  // On a busy machine the first connection takes longer than the timeout.
  const isKnown = () =>
    accessControl.authenticate(key, IP).then(
      () => true,
      () => false,
    )
  await expect.poll(isKnown).toBe(true)
  await scene.stack.engine('postgres').pause()
  try {
    scene.aheadMs += 6_000
    const sinceMs = performance.now()
    await Promise.all(Array.from({ length: 500 }, () => accessControl.authenticate(key, IP)))
    expect(performance.now() - sinceMs).toBeLessThan(30_000)
    for (let call = 0; call < 6; call++) await accessControl.authenticate(key, IP)
    const laterMs = performance.now()
    for (let call = 0; call < 100; call++) await accessControl.authenticate(key, IP)
    expect(performance.now() - laterMs).toBeLessThan(30_000)
  } finally {
    await scene.stack.engine('postgres').resume()
  }
})

test('PostgreSQL killed repeatedly while 40 callers buy: no charge is paid twice, no confirmed charge is missing', async () => {
  const { id } = await scene.newAccount('pro', 1_000_000)
  const { key } = await scene.newKey(id)
  const accessControl = scene.newAccessControl()
  const caller = await accessControl.authenticate(key, IP)
  const confirmed = new Set<string>()
  let isOver = false
  let bought = 0
  const buyer = async () => {
    while (!isOver) {
      const idempotencyKey = `purchase ${bought++}`
      for (let tries = 0; tries < 4 && !confirmed.has(idempotencyKey); tries++) {
        await accessControl.charge(caller, { ...PURCHASE, idempotencyKey }).then(
          () => confirmed.add(idempotencyKey),
          (error) => expect(error).toMatchObject({ code: 'store_unavailable' }),
        )
        // The circuit breaker fails at once; without a pause all retries would be used before the restart.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const buyers = Array.from({ length: 40 }, buyer)
  for (let round = 0; round < 3; round++) {
    const target = confirmed.size + 100
    await expect.poll(() => confirmed.size).toBeGreaterThan(target)
    await scene.stack.engine('postgres').kill()
    await scene.stack.engine('postgres').restart()
  }
  isOver = true
  await Promise.all(buyers)
  const rows = await scene.database
    .selectFrom('ledger')
    .select(['idem', 'delta'])
    .where('account_id', '=', id)
    .where('kind', '=', 'charge')
    .execute()
  const paid = new Set(rows.map(({ idem }) => idem))
  expect(paid.size).toBe(rows.length)
  expect([...confirmed].filter((name) => !paid.has(`client:${name}`))).toEqual([])
  expect((await scene.accounts.find(id))?.balance).toBe(1_000_000 - rows.length * 10)
  expect(await scene.ledger.drifts()).toEqual([])
}, 360_000)
