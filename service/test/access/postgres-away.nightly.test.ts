// Nightly: kills an engine and measures in seconds.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../src/access/key-format.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { AccessScene, faultOf } from './access-scene.ts'

const IP = '10.0.0.1'
const PURCHASE = { credits: 10, endpoint: 'list-market-snapshots', fingerprint: 'f', requestId: 'r' }

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open({ postgresAnswersWithinMs: 10_000 })
})
afterAll(() => scene[Symbol.asyncDispose]())

async function newKeys(count: number): Promise<string[]> {
  const { id } = await scene.newAccount('pro', 1_000)
  const issued = await Promise.all(Array.from({ length: count }, () => scene.newKey(id)))
  return issued.map(({ key }) => key)
}

test('PostgreSQL killed: cached keys work for one minute, others get 503, nothing is charged; afterwards everything works again', async () => {
  const [known = '', fresh = '', unseen = ''] = await newKeys(3)
  const expiring = await scene.newKey((await scene.newAccount()).id, { expiresAtMs: Date.now() + 20_000 })
  const lapsing = await scene.newAccount('free')
  await scene.accounts.setTier(lapsing.id, { tier: 'pro', expiresAtMs: Date.now() + 20_000, monthlyCredits: 0 })
  const lapsed = await scene.newKey(lapsing.id)
  const accessControl = scene.newAccessControl()
  const caller = await accessControl.authenticate(known, IP)
  await accessControl.authenticate(expiring.key, IP)
  expect((await accessControl.authenticate(lapsed.key, IP)).tier).toBe('pro')
  expect(await accessControl.charge(caller, PURCHASE)).toMatchObject({ charged: 10, remaining: 990 })
  const unknown = makeKey()
  await faultOf(accessControl.authenticate(unknown, IP))
  scene.aheadMs += 20_000
  await accessControl.authenticate(fresh, IP)

  await scene.stack.engine('postgres').kill()
  scene.aheadMs += 10_000
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

  scene.aheadMs += 30_000
  expect((await faultOf(accessControl.authenticate(known, IP))).code).toBe('store_unavailable')
  expect((await accessControl.authenticate(fresh, IP)).tier).toBe('pro')

  await scene.stack.engine('postgres').restart()
  scene.aheadMs += 1_000
  await expect
    .poll(() => accessControl.authenticate(unseen, IP).then(({ tier }) => tier), { timeout: 120_000 })
    .toBe('pro')
  expect(await accessControl.charge(caller, PURCHASE)).toMatchObject({ charged: 10, remaining: 980 })
  expect(await scene.ledger.drifts()).toEqual([])
})

test('PostgreSQL unresponsive: a cached key waits for the timeout once and then not at all', async () => {
  await using database = openDatabase({ url: scene.stack.variable('DATABASE_URL'), answerWithinMs: 300 })
  const [key = ''] = await newKeys(1)
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

test('waiting for a connection is no outage: callers are told to try again, and the next one is served', async () => {
  await using database = openDatabase({
    url: scene.stack.variable('DATABASE_URL'),
    maxConnections: 1,
    answerWithinMs: 2_000,
  })
  const accessControl = scene.newAccessControl({ keys: new Keys(database), ledger: new CreditLedger(database) })
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
  expect((await accessControl.authenticate(keys[0] ?? '', IP)).tier).toBe('pro')
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
