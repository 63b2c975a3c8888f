import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import type { Caller } from '../../src/access/caller.ts'
import { AccessScene, faultOf } from './access-scene.ts'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(async () => {
  const drifts = await scene.ledger.drifts()
  await scene[Symbol.asyncDispose]()
  expect(drifts).toEqual([])
})

async function newCaller(
  credits: number,
  creditLimit?: number,
): Promise<{ accessControl: AccessControl; caller: Caller; accountId: string }> {
  const { id } = await scene.newAccount('pro', credits)
  const { key } = await scene.newKey(id, creditLimit === undefined ? {} : { creditLimit })
  const accessControl = scene.newAccessControl()
  return { accessControl, caller: await accessControl.authenticate(key, '10.0.0.1'), accountId: id }
}

const PURCHASE = { credits: 10, endpoint: 'list-market-snapshots', fingerprint: 'f', requestId: 'r' }

test('of 1000 purchases of 10 over four nodes on a balance of 100, ten are paid and the others get 402', async () => {
  const { caller } = await newCaller(100)
  const gates = Array.from({ length: 4 }, () => scene.newAccessControl())
  const buy = (_: unknown, index: number) => (gates[index % 4] ?? scene.newAccessControl()).charge(caller, PURCHASE)
  const outcomes = await Promise.allSettled(Array.from({ length: 1_000 }, buy))
  const receipts = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  expect(receipts.map(({ charged }) => charged)).toEqual(Array(10).fill(10))
  expect(receipts.map(({ remaining }) => remaining).toSorted((a, b) => a - b)).toEqual([
    0, 10, 20, 30, 40, 50, 60, 70, 80, 90,
  ])
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(new Set(reasons.map(({ code, status }) => `${code} ${status}`))).toEqual(new Set(['out_of_credits 402']))
})

test('a retry under the same idempotency key is free, also with an empty balance; for another request it is 409', async () => {
  const { accessControl, caller } = await newCaller(10)
  const purchase = { ...PURCHASE, idempotencyKey: 'mine' }
  expect(await accessControl.charge(caller, purchase)).toEqual({ charged: 10, remaining: 0, replayed: false })
  expect(await accessControl.canAfford(caller, 10)).toBe(false)
  const { fingerprint } = PURCHASE
  const found = (idempotencyKey: string, of = fingerprint) =>
    accessControl.findPaid(caller, { idempotencyKey, fingerprint: of })
  expect(await found('mine')).toEqual({})
  expect(await found('another')).toBeUndefined()
  expect(await found('mine', 'of another request')).toBeUndefined()
  for (let replay = 0; replay < 5; replay++) {
    expect(await accessControl.charge(caller, purchase)).toEqual({ charged: 0, remaining: 0, replayed: true })
  }
  expect((await faultOf(accessControl.charge(caller, purchase))).body).toMatchObject({
    error: 'idempotency_spent',
    status: 409,
  })
  const other = accessControl.charge(caller, { ...purchase, fingerprint: 'another' })
  expect((await faultOf(other)).body).toMatchObject({ error: 'idempotency_mismatch', status: 409 })
})

test('a retry is free only with the answer that was paid for, and learns what was read for it', async () => {
  const { accessControl, caller } = await newCaller(100)
  const purchase = { ...PURCHASE, idempotencyKey: 'mine', answerHash: 'one', read: { atMs: 1_700_000, upToSlot: 7 } }
  await accessControl.charge(caller, purchase)
  const request = { idempotencyKey: 'mine', fingerprint: PURCHASE.fingerprint }
  expect(await accessControl.findPaid(caller, request)).toEqual({ read: { atMs: 1_700_000, upToSlot: 7 } })
  const other = { ...purchase, answerHash: 'two', read: { atMs: 1_800_000, upToSlot: 9 } }
  for (let time = 0; time < 7; time++) {
    const fault = await faultOf(accessControl.charge(caller, other))
    expect(fault.body).toMatchObject({ error: 'idempotency_spent', message: expect.stringContaining('has changed') })
  }
  expect(await accessControl.charge(caller, purchase)).toEqual({ charged: 0, remaining: 90, replayed: true })
})

test('a charge of more than 24 hours ago tells nothing about what was read for it', async () => {
  const { accessControl, caller, accountId } = await newCaller(100)
  const paidAgo = (hours: number) =>
    sql`
    INSERT INTO ledger (account_id, delta, kind, idem, fingerprint, endpoint, request_id, at, read_at_ms, read_up_to_slot)
    VALUES (${accountId}::uuid, -10, 'charge', ${`client:${hours}`}, ${PURCHASE.fingerprint}, 'snapshots', 'request',
      now() - ${hours}::int * interval '1 hour', 1700000, 7)`.execute(scene.database)
  await paidAgo(23)
  await paidAgo(25)
  const found = (idempotencyKey: string) =>
    accessControl.findPaid(caller, { idempotencyKey, fingerprint: PURCHASE.fingerprint })
  expect(await found('23')).toEqual({ read: { atMs: 1_700_000, upToSlot: 7 } })
  expect(await found('25')).toBeUndefined()
})

test('an idempotency key of a caller never collides with an internal ledger name', async () => {
  const { accessControl, caller, accountId } = await newCaller(10)
  await scene.ledger.grant({ accountId, credits: 1, kind: 'payment', idem: 'pay:test:1' })
  const { fingerprint } = PURCHASE
  expect(await accessControl.findPaid(caller, { idempotencyKey: 'pay:test:1', fingerprint })).toBeUndefined()
  const grant = `grant:${accountId}:2026-10`
  await scene.ledger.grant({ accountId, credits: 1, kind: 'grant', idem: grant })
  expect(await accessControl.charge(caller, { ...PURCHASE, idempotencyKey: grant })).toMatchObject({ charged: 10 })
  const tooLong = accessControl.charge(caller, { ...PURCHASE, idempotencyKey: 'x'.repeat(256) })
  expect((await faultOf(tooLong)).code).toBe('invalid_request')
})

test('an empty balance is refused before any work is done, and credits bought a second ago can be spent', async () => {
  const { accessControl, caller, accountId } = await newCaller(0)
  const fault = await faultOf(accessControl.requireCredits(caller, 10))
  expect(fault.body).toMatchObject({ error: 'out_of_credits', status: 402 })
  expect(fault.details).toEqual({ credits_needed: 10, credits_remaining: 0, limited_by: 'account' })
  await scene.ledger.grant({ accountId, credits: 25, kind: 'payment', idem: 'pay:test:2' })
  scene.aheadMs += 1_000
  expect(await accessControl.canAfford(caller, 10)).toBe(true)
  expect(await accessControl.balance(caller)).toBe(25)
  expect((await accessControl.charge(caller, PURCHASE)).remaining).toBe(15)
  expect(await accessControl.balance(caller)).toBe(15)
})

test('the limit of a key and the balance of its account have different errors', async () => {
  const { accessControl, caller } = await newCaller(1_000, 15)
  await accessControl.charge(caller, PURCHASE)
  const fault = await faultOf(accessControl.charge(caller, PURCHASE))
  expect(fault.code).toBe('out_of_credits')
  expect(fault.details).toEqual({ credits_needed: 10, credits_remaining: 5, limited_by: 'key' })
  expect(await accessControl.canAfford(caller, 10)).toBe(false)
  expect(await accessControl.balance(caller)).toBe(990)
})

test('charging a free endpoint is a programming error', async () => {
  const { accessControl, caller } = await newCaller(10)
  for (const credits of [0, -10, 1.5, Number.NaN]) {
    await expect(accessControl.charge(caller, { ...PURCHASE, credits })).rejects.toThrow(RangeError)
  }
})
