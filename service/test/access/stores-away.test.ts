import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeKey } from '../../src/access/key-format.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { TIER_LIMITS } from '../../src/domain/tier.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { AccessScene, faultOf } from './access-scene.ts'

const IP = '10.0.0.1'
const PURCHASE = { credits: 10, endpoint: 'list-market-snapshots', fingerprint: 'f', requestId: 'r' }

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

async function newKeys(count: number): Promise<string[]> {
  const { id } = await scene.newAccount('pro', 1_000)
  const issued = await Promise.all(Array.from({ length: count }, () => scene.newKey(id)))
  return issued.map(({ key }) => key)
}

test('PostgreSQL killed: cached keys work for one minute, others get 503, nothing is charged; afterwards everything works again', async () => {
  const [known = '', fresh = '', unseen = ''] = await newKeys(3)
  const endsAtMs = (await postgresNowMs(scene.database)) + 50_000
  const expiring = await scene.newKey((await scene.newAccount()).id, { expiresAtMs: endsAtMs })
  const lapsing = await scene.newAccount('free')
  await scene.accounts.setTier(lapsing.id, { tier: 'pro', expiresAtMs: endsAtMs, monthlyCredits: 0 })
  const lapsed = await scene.newKey(lapsing.id)
  let nowMs = 0
  const accessControl = scene.newAccessControl({ nowMs: () => nowMs })
  const caller = await accessControl.authenticate(known, IP)
  await accessControl.authenticate(expiring.key, IP)
  expect((await accessControl.authenticate(lapsed.key, IP)).tier).toBe('pro')
  expect(await accessControl.charge(caller, PURCHASE)).toMatchObject({ charged: 10, remaining: 990 })
  const unknown = makeKey()
  await faultOf(accessControl.authenticate(unknown, IP))
  nowMs = 20_000
  await accessControl.authenticate(fresh, IP)

  const postgres = scene.stack.engine('postgres')
  await postgres.kill()
  onTestFinished(() => postgres.restart())
  nowMs = 50_000
  expect((await accessControl.authenticate(known, IP)).keyId).toBe(caller.keyId)
  expect((await accessControl.admit(caller)).degraded).toBe(false)
  const away = [
    await faultOf(accessControl.authenticate(unseen, IP)),
    await faultOf(accessControl.authenticate(unknown, IP)),
    await faultOf(accessControl.authenticate(expiring.key, IP)),
    await faultOf(accessControl.authenticate(lapsed.key, IP)),
    await faultOf(accessControl.charge(caller, PURCHASE)),
  ]
  for (const fault of away) {
    expect(fault.body).toMatchObject({ error: 'store_unavailable', status: 503 })
    expect(fault.retryAfterSeconds).toBeGreaterThan(0)
  }
  expect(JSON.stringify(away.map(({ body }) => body))).not.toMatch(/127\.0\.0\.1|ECONN|postgres/i)
  expect(await accessControl.balance(caller)).toBe(990)

  nowMs = 60_000
  expect((await faultOf(accessControl.authenticate(known, IP))).code).toBe('store_unavailable')
  expect((await accessControl.authenticate(fresh, IP)).tier).toBe('pro')

  await postgres.restart()
  const tierOfUnseen = () => {
    nowMs += 1_000
    return accessControl.authenticate(unseen, IP).then(({ tier }) => tier)
  }
  await expect.poll(tierOfUnseen).toBe('pro')
  expect(await accessControl.charge(caller, PURCHASE)).toMatchObject({ charged: 10, remaining: 980 })
  expect(await scene.ledger.drifts()).toEqual([])
})

test('waiting for a connection is no outage: callers are told to try again, and the next one is served', async () => {
  await using database = openDatabase({
    url: scene.stack.variable('DATABASE_URL'),
    maxConnections: 1,
    answerWithinMs: 200,
  })
  const accessControl = scene.newAccessControl({
    keys: new Keys(database),
    ledger: new CreditLedger(database),
    // A breaker that opens stays open.
    nowMs: () => 0,
  })
  const keys = await newKeys(5)
  const [isHeld, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = database.connection().execute(async () => {
    isHeld.resolve()
    await isOver.promise
  })
  await isHeld.promise
  // As many failures as open the breaker when PostgreSQL is away.
  const faults = await Promise.all(keys.map((key) => faultOf(accessControl.authenticate(key, IP))))
  isOver.resolve()
  await holding
  for (const { body } of faults) expect(body).toMatchObject({ error: 'overloaded', status: 503 })
  await expect.poll(() => accessControl.authenticate(keys[0] ?? '', IP).then(({ tier }) => tier)).toBe('pro')
})

test('a charge whose response is lost is paid once, and the caller gets the normal result', async () => {
  const { id } = await scene.newAccount('pro', 100)
  const { key } = await scene.newKey(id)
  let isCut = false
  const { ledger } = scene
  const accessControl = scene.newAccessControl({
    ledger: {
      spendable: ledger.spendable.bind(ledger),
      findPaid: ledger.findPaid.bind(ledger),
      wasPaidLately: ledger.wasPaidLately.bind(ledger),
      wasHeldBefore: ledger.wasHeldBefore.bind(ledger),
      void: ledger.void.bind(ledger),
      async charge(charge) {
        const result = await ledger.charge(charge)
        if (isCut) return result
        isCut = true
        throw new Error('Connection terminated unexpectedly')
      },
    },
  })
  const caller = await accessControl.authenticate(key, IP)
  expect(await accessControl.charge(caller, PURCHASE)).toEqual({ charged: 10, remaining: 90, replayed: false })
  expect((await scene.accounts.find(id))?.balance).toBe(90)
})

async function killRedis(): Promise<void> {
  const redis = scene.stack.engine('redis')
  await redis.kill()
  onTestFinished(async () => {
    await redis.restart()
    await scene.untilRedisReady()
  })
}

test('without Redis a node admits its share of the rate limit', async () => {
  const accessControl = scene.newAccessControl({ nodeCount: () => 3, nowMs: () => 0 })
  const { key } = await scene.newKey((await scene.newAccount('pro')).id)
  const caller = await accessControl.authenticate(key, IP)
  await killRedis()
  const calls = await Promise.allSettled(Array.from({ length: 500 }, () => accessControl.admit(caller)))
  const admitted = calls.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(admitted).toHaveLength(TIER_LIMITS.pro.rpm / 3)
  expect(admitted.every(({ degraded }) => degraded)).toBe(true)
  for (const each of calls) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'rate_limited' })
})

test('without Redis exact books are not counted and cost nothing', async () => {
  const accessControl = scene.newAccessControl({ nowMs: () => 0 })
  const { key } = await scene.newKey((await scene.newAccount('pro')).id)
  const caller = await accessControl.authenticate(key, IP)
  expect(await accessControl.countBooks(caller, 5_001)).toEqual({ credits: 1, freeBooksLeft: 0 })
  await killRedis()
  expect(await accessControl.countBooks(caller, 500)).toEqual({ credits: 0, freeBooksLeft: undefined })
  expect((await accessControl.admit(caller)).freeBooksLeft).toBeUndefined()
})

test('without Redis a key can be revoked, and is refused when its cache entry is five seconds old', async () => {
  let nowMs = 0
  const accessControl = scene.newAccessControl({ nowMs: () => nowMs })
  const { key, stored } = await scene.newKey((await scene.newAccount('pro')).id)
  const caller = await accessControl.authenticate(key, IP)
  await killRedis()
  const troubles: unknown[] = []
  const deps = { keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: (error: unknown) => troubles.push(error) }
  expect(await revokeKey(deps, stored.id)).toBe(true)
  expect(troubles).toHaveLength(1)
  expect((await accessControl.admit(caller)).degraded).toBe(true)
  nowMs += 5_000
  expect((await faultOf(accessControl.authenticate(key, IP))).code).toBe('unauthenticated')
})
