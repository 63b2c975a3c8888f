import { randomUUID } from 'node:crypto'
import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Caller } from '../../src/access/caller.ts'
import { UsageMeter } from '../../src/access/usage-meter.ts'
import { Usage } from '../../src/stores/accounts/usage.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { AccessScene } from '../access/access-scene.ts'

const DAY_MS = 86_400_000

let scene: AccessScene
let usage: Usage
beforeAll(async () => {
  scene = await AccessScene.open()
  usage = new Usage(scene.database)
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function newCaller(credits = 1_000): Promise<Caller> {
  const account = await scene.newAccount('pro', credits)
  return scene.newAccessControl().authenticate((await scene.newKey(account.id)).key, '10.0.0.1')
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const TODAY = dayOf(WORLD_NOW_MS)
const nowMs = (): number => WORLD_NOW_MS
const servedBy = ({ accountId, keyId }: Caller, calls: number, endpoint = 'get_orderbook', day = TODAY) => ({
  accountId,
  keyId,
  endpoint,
  day,
  calls,
})
const callsOf = async ({ accountId, keyId }: Caller): Promise<number> =>
  (await usage.byKey(accountId, WORLD_NOW_MS)).get(keyId)?.last30Days.calls ?? 0

/** Charges and a refund, and what is known about them on the day of PostgreSQL. */
async function chargedToday() {
  const atMs = await postgresNowMs(scene.database)
  const caller = await newCaller()
  const accessControl = scene.newAccessControl()
  const purchase = { credits: 10, fingerprint: 'f', requestId: 'r' }
  await accessControl.charge(caller, { ...purchase, endpoint: 'list_snapshots' })
  await accessControl.charge(caller, { ...purchase, endpoint: 'list_snapshots', idempotencyKey: 'twice' })
  await accessControl.charge(caller, { ...purchase, endpoint: 'list_snapshots', idempotencyKey: 'twice' })
  await scene.ledger.charge({ ...purchase, ...caller, endpoint: 'export_hour', credits: 70, idem: 'once:undone' })
  await scene.ledger.void(caller.accountId, 'once:undone')
  const today = dayOf(atMs)
  return {
    today,
    keyId: caller.keyId,
    byDay: await usage.byDay(caller.accountId, { fromDay: today, toDay: today }),
    byKey: (await usage.byKey(caller.accountId, atMs)).get(caller.keyId),
    ofOtherKey: await usage.byDay(caller.accountId, { fromDay: today, toDay: today, keyId: randomUUID() }),
  }
}

test('credits are charges minus refunds, on the day and under the endpoint of the charge', async () => {
  let charged = await chargedToday()
  // The day has ended meanwhile.
  if (charged.today !== dayOf(await postgresNowMs(scene.database))) charged = await chargedToday()
  const { today: day, keyId, byDay, byKey, ofOtherKey } = charged
  expect(byDay).toEqual([
    { day, keyId, keyLabel: 'test', endpoint: 'export_hour', calls: 0, credits: 0, refused: {} },
    { day, keyId, keyLabel: 'test', endpoint: 'list_snapshots', calls: 0, credits: 20, refused: {} },
  ])
  expect(byKey).toEqual({ today: { calls: 0, credits: 20 }, last30Days: { calls: 0, credits: 20 } })
  expect(ofOtherKey).toEqual([])
})

test('the last thirty days including today are counted, neither the day before nor other accounts', async () => {
  const caller = await newCaller()
  const daysAgo = (days: number): string => dayOf(WORLD_NOW_MS - days * DAY_MS)
  const rows = [0, 29, 30].map((ago) => servedBy(caller, 10 ** (ago % 3), 'get_market', daysAgo(ago)))
  await usage.add({ id: randomUUID(), rows: [...rows, servedBy(await newCaller(), 5_000)] })
  expect((await usage.byKey(caller.accountId, WORLD_NOW_MS)).get(caller.keyId)).toEqual({
    today: { calls: 1, credits: 0 },
    last30Days: { calls: 101, credits: 0 },
  })
})

test('many concurrent processes lose no counts, and counts that are sent again count once', async () => {
  const callers = await Promise.all(Array.from({ length: 4 }, () => newCaller()))
  const batches = Array.from({ length: 40 }, (_, index) => ({
    id: randomUUID(),
    // In every order, because maps of different processes are ordered differently.
    rows: callers.map((caller) => servedBy(caller, 1)).toSorted(() => (index % 2 === 0 ? 1 : -1)),
  }))
  await Promise.all([...batches, ...batches].map((batch) => usage.add(batch)))
  for (const caller of callers) expect(await callsOf(caller)).toBe(40)
})

test('calls are written when access control closes, each on the day it was served', async () => {
  const caller = await newCaller()
  const midnightMs = (Math.floor(WORLD_NOW_MS / DAY_MS) + 1) * DAY_MS
  let clockMs = midnightMs - 1
  const accessControl = scene.newAccessControl({ usage, nowMs: () => clockMs })
  accessControl.noteServed(caller, 'get_market')
  accessControl.noteServed(caller, 'get_market')
  clockMs = midnightMs
  accessControl.noteServed(caller, 'get_market')
  accessControl.noteServed(caller, 'list_bars')
  await accessControl.close()
  const days = { fromDay: dayOf(midnightMs - 1), toDay: dayOf(midnightMs) }
  const found = await usage.byDay(caller.accountId, days)
  expect(found.map(({ day, endpoint, calls }) => [day, endpoint, calls])).toEqual([
    [days.fromDay, 'get_market', 2],
    [days.toDay, 'get_market', 1],
    [days.toDay, 'list_bars', 1],
  ])
})

test('while PostgreSQL is killed or unresponsive no call is lost, and none is counted twice', async () => {
  const caller = await newCaller()
  const impatient = openDatabase({ url: scene.stack.variable('DATABASE_URL'), answerWithinMs: 500 })
  const troubles: unknown[] = []
  const meter = new UsageMeter({
    usage: new Usage(impatient),
    nowMs,
    onTrouble: (error) => troubles.push(error),
  })
  const postgres = scene.stack.engine('postgres')
  meter.note(caller, 'get_market')
  await meter.write()
  for (const how of ['mute', 'killed'] as const) {
    // A paused PostgreSQL may still execute statements that nobody waits for any more.
    await (how === 'mute' ? postgres.pause() : postgres.kill())
    meter.note(caller, 'get_market')
    await meter.write()
    meter.note(caller, 'get_market')
    await meter.write()
    await (how === 'mute' ? postgres.resume() : postgres.restart())
  }
  expect(troubles.length).toBeGreaterThanOrEqual(4)
  await vi.waitUntil(
    async () => {
      const before = troubles.length
      await meter.write()
      return troubles.length === before
    },
    { timeout: 120_000, interval: 200 },
  )
  await impatient.destroy()
  await vi.waitUntil(async () => (await callsOf(caller).catch(() => 0)) > 0, { timeout: 120_000, interval: 200 })
  expect(await callsOf(caller)).toBe(5)
})

test('counts that can never be written do not block others', async () => {
  const caller = await newCaller()
  const meter = new UsageMeter({ usage, nowMs, onTrouble: () => {} })
  meter.note({ accountId: caller.accountId, keyId: randomUUID() }, 'get_market')
  await meter.write()
  meter.note(caller, 'get_market')
  await meter.write()
  expect(await callsOf(caller)).toBe(1)
})

test('refused calls are counted by code beside the served ones, per key and day', async () => {
  const caller = await newCaller()
  const meter = new UsageMeter({ usage, nowMs, onTrouble: () => {} })
  meter.note(caller, 'get_orderbook')
  for (const code of ['rate_limited', 'rate_limited', 'no_recent_data'] as const)
    meter.note(caller, 'get_orderbook', code)
  meter.note(caller, 'get_market', 'slug_not_found')
  await meter.write()
  const listed = await usage.byDay(caller.accountId, { fromDay: TODAY, toDay: TODAY, keyId: caller.keyId })
  expect(listed).toMatchObject([
    { endpoint: 'get_market', calls: 0, credits: 0, refused: { slug_not_found: 1 } },
    { endpoint: 'get_orderbook', calls: 1, refused: { rate_limited: 2, no_recent_data: 1 } },
  ])
  expect(await callsOf(caller)).toBe(1)
})
