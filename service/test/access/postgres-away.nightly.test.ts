// Nightly: kills an engine and measures in seconds.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { AccessScene } from './access-scene.ts'

const IP = '10.0.0.1'
const PURCHASE = { credits: 10, endpoint: 'list-market-snapshots', fingerprint: 'f', requestId: 'r' }

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open({ postgresAnswersWithinMs: 10_000 })
})
afterAll(() => scene[Symbol.asyncDispose]())

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
