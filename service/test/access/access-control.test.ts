import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import { makeKey } from '../../src/access/key-format.ts'
import { Peppers } from '../../src/access/peppers.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { AccessScene, faultOf, PEPPER } from './access-scene.ts'

let scene: AccessScene
let nextAddress = 0
/** Each test uses its own address, so that failures of other tests don't count. */
let ip = ''
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())
beforeEach(() => {
  ip = `10.0.0.${nextAddress++}`
})

const revoke = (keyId: string) =>
  revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, keyId)

/** An AccessControl over the real store that counts lookups in the store. */
function countingAccessControl(changes: { nowMs?: () => number } = {}): {
  accessControl: AccessControl
  asked: () => number
} {
  let asked = 0
  const { keys } = scene
  const find: typeof keys.find = (hashes) => {
    asked++
    return keys.find(hashes)
  }
  const findMany: typeof keys.findMany = (hashes) => {
    asked++
    return keys.findMany(hashes)
  }
  const counted = {
    find,
    findMany,
    findConsole: keys.findConsole.bind(keys),
    noteUse: keys.noteUse.bind(keys),
    rehash: keys.rehash.bind(keys),
  }
  return { accessControl: scene.newAccessControl({ keys: counted, ...changes }), asked: () => asked }
}

test('a key is authenticated with its account, tier and limits', async () => {
  const account = await scene.newAccount('scale')
  const { key, stored } = await scene.newKey(account.id, { scopes: ['history'] })
  const caller = await scene.newAccessControl().authenticate(key, ip)
  expect(caller).toMatchObject({
    accountId: account.id,
    keyId: stored.id,
    label: 'test',
    tier: 'scale',
    scopes: ['history'],
  })
  expect(caller.limits.rpm).toBe(1_000)
})

test('unknown, revoked and expired keys get the same refusal; no key and a malformed key get others, and all name the headers', async () => {
  const { id } = await scene.newAccount()
  const revoked = await scene.newKey(id)
  await revoke(revoked.stored.id)
  const expired = await scene.newKey(id, { expiresAtMs: 0 })
  const accessControl = scene.newAccessControl()
  const kinds = {
    missing_key: [undefined, ''],
    malformed_key: ['junk', `${expired.key} `, revoked.key.slice(0, -1)],
    unknown_key: [makeKey(), revoked.key, expired.key],
  }
  for (const [reason, presented] of Object.entries(kinds)) {
    const faults = await Promise.all(presented.map((key) => faultOf(accessControl.authenticate(key, ip))))
    expect(
      new Set(faults.map((fault) => JSON.stringify([fault.body, fault.challenge, fault.retryAfterSeconds]))).size,
    ).toBe(1)
    expect(faults[0]?.body).toMatchObject({ error: 'unauthenticated', status: 401, details: { reason } })
    expect(faults[0]?.message).toContain('"X-API-Key: <key>" or "Authorization: Bearer <key>"')
  }
})

test('a malformed key is never looked up in the store; an unknown key is looked up once in two seconds, and parallel lookups are shared', async () => {
  // Only the test moves this clock, because on a busy machine 300 calls may take longer than a key is remembered.
  let clockMs = 0
  const { accessControl, asked } = countingAccessControl({ nowMs: () => clockMs })
  for (let guess = 0; guess < 25; guess++) await faultOf(accessControl.authenticate(`br_live_${'x'.repeat(38)}`, ip))
  expect(asked()).toBe(0)
  const unknown = makeKey()
  await Promise.all(Array.from({ length: 3 }, () => faultOf(accessControl.authenticate(unknown, ip))))
  await faultOf(accessControl.authenticate(unknown, ip))
  expect(asked()).toBe(1)
  clockMs += 2_000
  await faultOf(accessControl.authenticate(unknown, ip))
  expect(asked()).toBe(2)

  const { key } = await scene.newKey((await scene.newAccount()).id)
  await Promise.all(Array.from({ length: 300 }, () => accessControl.authenticate(key, ip)))
  clockMs += 4_900
  await accessControl.authenticate(key, ip)
  expect(asked()).toBe(3)
  clockMs += 200
  await accessControl.authenticate(key, ip)
  expect(asked()).toBe(4)
})

test('after 30 failures an address is rate limited; recently valid keys and other addresses are not', async () => {
  const { accessControl, asked } = countingAccessControl()
  const { key } = await scene.newKey((await scene.newAccount()).id)
  await accessControl.authenticate(key, ip)
  const guesses = []
  for (let guess = 0; guess < 30; guess++)
    guesses.push((await faultOf(accessControl.authenticate(guess % 2 === 0 ? makeKey() : 'junk', ip))).code)
  const further = Array.from({ length: 1_000 }, (_, guess) => (guess % 2 === 0 ? makeKey() : 'junk'))
  for (const { code } of await Promise.all(further.map((guess) => faultOf(accessControl.authenticate(guess, ip)))))
    guesses.push(code)
  expect(guesses.slice(0, 30)).toEqual(Array(30).fill('unauthenticated'))
  // The limit allows one more failure every two seconds, so a slow machine gets more.
  expect(guesses.filter((code) => code === 'rate_limited').length).toBeGreaterThan(950)
  expect(asked()).toBeLessThan(50)
  const waiting = await faultOf(accessControl.authenticate(makeKey(), ip))
  expect(waiting.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  scene.aheadMs += 10_000
  for (let guess = 0; guess < 9; guess++) await faultOf(accessControl.authenticate(makeKey(), ip))
  expect((await accessControl.authenticate(key, ip)).tier).toBe('pro')
  expect((await faultOf(accessControl.authenticate(makeKey(), '10.9.9.9'))).code).toBe('unauthenticated')
})

test('wrong keys from an address never lock out the keys of customers who share it', async () => {
  const { accessControl, asked } = countingAccessControl()
  const { id } = await scene.newAccount()
  const unused = await Promise.all(Array.from({ length: 3 }, async () => (await scene.newKey(id)).key))
  const guesses = Array.from({ length: 2_000 }, () => makeKey())
  for (const guess of guesses.slice(0, 40)) await faultOf(accessControl.authenticate(guess, ip))
  expect((await faultOf(accessControl.authenticate('junk', ip))).code).toBe('rate_limited')
  const before = asked()
  const flood = guesses.map((guess) => faultOf(accessControl.authenticate(guess, ip)))
  for (const key of unused) expect((await accessControl.authenticate(key, ip)).tier).toBe('pro')
  await Promise.all(flood)
  expect(asked() - before, 'all are looked up together').toBeLessThan(20)
})

test('addresses of one network count as one client', async () => {
  const accessControl = scene.newAccessControl()
  const codes = []
  for (let guess = 0; guess < 60; guess++) {
    codes.push((await faultOf(accessControl.authenticate(makeKey(), `2001:db8:7:8::${guess.toString(16)}`))).code)
  }
  expect(codes.filter((code) => code === 'rate_limited').length).toBeGreaterThan(15)
})

test('a revoked key is refused at the next request on a node that has cached it, and leaves the cache', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const [one, other] = [scene.newAccessControl(), scene.newAccessControl()]
  const callers = [await one.authenticate(key, ip), await other.authenticate(key, ip)] as const
  await one.admit(callers[0])
  await revoke(stored.id)
  expect((await faultOf(other.admit(callers[1]))).code).toBe('unauthenticated')
  expect((await faultOf(other.authenticate(key, ip))).code).toBe('unauthenticated')
  // Without the mark in Redis and without a notification, a cache entry expires within five seconds.
  expect((await one.authenticate(key, ip)).keyId).toBe(stored.id)
  scene.aheadMs += 5_000
  expect((await faultOf(one.authenticate(key, ip))).code).toBe('unauthenticated')
})

test('a cached key or tier ends at its time by the clock of PostgreSQL, however wrong the clock of the node is', async () => {
  const [expiring, lapsing] = [await scene.newAccount(), await scene.newAccount('free')]
  const endsAtMs = (await postgresNowMs(scene.database)) + 4_500
  await scene.accounts.setTier(lapsing.id, { tier: 'pro', expiresAtMs: endsAtMs, monthlyCredits: 0 })
  const keys = [await scene.newKey(expiring.id, { expiresAtMs: endsAtMs }), await scene.newKey(lapsing.id)] as const
  let clockMs = 0
  const accessControl = scene.newAccessControl({ nowMs: () => clockMs })
  const [first, second] = [
    await accessControl.authenticate(keys[0].key, ip),
    await accessControl.authenticate(keys[1].key, ip),
  ]
  expect([first.end?.of, second.end?.of, second.tier]).toEqual(['key', 'tier', 'pro'])
  await sql`UPDATE api_keys SET expires_at = now() WHERE id = ${keys[0].stored.id}`.execute(scene.database)
  await sql`UPDATE accounts SET tier_expires_at = now() WHERE id = ${lapsing.id}`.execute(scene.database)
  // Less than five seconds, after which an entry is read again in any case.
  clockMs = 4_500
  expect((await faultOf(accessControl.authenticate(keys[0].key, ip))).code).toBe('unauthenticated')
  expect((await accessControl.authenticate(keys[1].key, ip)).tier).toBe('free')
})

test('keys of one account share one rate limit, and a refusal says when to retry', async () => {
  const { id } = await scene.newAccount('pro')
  const accessControl = scene.newAccessControl()
  const issued = [await scene.newKey(id), await scene.newKey(id), await scene.newKey(id)]
  const callers = await Promise.all(issued.map(({ key }) => accessControl.authenticate(key, ip)))
  const sinceMs = performance.now()
  const calls = Array.from({ length: 150 }, () => callers.map((caller) => accessControl.admit(caller))).flat()
  const outcomes = await Promise.allSettled(calls)
  const admitted = outcomes.filter(({ status }) => status === 'fulfilled').length
  expect(admitted).toBeGreaterThanOrEqual(300)
  expect(admitted).toBeLessThanOrEqual(300 + ((performance.now() - sinceMs) / 60_000) * 300 + 1)
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refusals[0]).toMatchObject({ code: 'rate_limited', status: 429, retryAfterSeconds: 1 })
  expect(refusals[0].details).toMatchObject({ limit: 300, remaining: 0, reset_seconds: 1 })
})

test('admission returns the limit, the remaining requests and the reset time', async () => {
  const { key } = await scene.newKey((await scene.newAccount('free')).id)
  const accessControl = scene.newAccessControl()
  const caller = await accessControl.authenticate(key, ip)
  expect(await accessControl.admit(caller)).toEqual({
    ...{ limit: 60, remaining: 59, resetSeconds: 1, degraded: false },
    freeBooksLeft: 5_000,
  })
  expect(await accessControl.admit(caller)).toMatchObject({ remaining: 58, resetSeconds: 2 })
})

test('exact books of an account are counted once, however many answers are ready at the same time; a new day begins at midnight UTC', async () => {
  const clock = { nowMs: Date.parse('2026-10-14T23:59:59.999Z') }
  const [one, other] = [1, 2].map(() => scene.newAccessControl({ clock: () => clock.nowMs })) as [
    AccessControl,
    AccessControl,
  ]
  const { key } = await scene.newKey((await scene.newAccount('free')).id)
  const caller = await one.authenticate(key, ip)
  const answers = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other).countBooks(caller, 750))
  const credits = (await Promise.all(answers)).map((each) => each.credits)
  // Of 7,500, 5,000 are free: six answers and 500 books of the seventh.
  expect(credits.toSorted((least, most) => least - most)).toEqual([0, 0, 0, 0, 0, 0, 5, 15, 15, 15])
  await other.countBooks(caller, -3_000)
  expect(await one.countBooks(caller, 1)).toEqual({ credits: 0, freeBooksLeft: 499 })
  expect(await other.admit(caller)).toMatchObject({ freeBooksLeft: 499 })
  clock.nowMs += 1
  expect(await other.admit(caller)).toMatchObject({ freeBooksLeft: 5_000 })
})

test('four nodes that admit one account at once never exceed burst + rate·t', async () => {
  const { key } = await scene.newKey((await scene.newAccount('pro')).id)
  const gates = Array.from({ length: 4 }, () => scene.newAccessControl())
  const sinceMs = performance.now()
  let admitted = 0
  const hammer = async (accessControl: AccessControl) => {
    const caller = await accessControl.authenticate(key, ip)
    while (performance.now() - sinceMs < 1_500) {
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => accessControl.admit(caller)))
      for (const answer of answers) {
        if (answer.status === 'fulfilled') {
          expect(answer.value.degraded).toBe(false)
          admitted++
        } else expect(answer.reason).toMatchObject({ code: 'rate_limited' })
      }
    }
  }
  await Promise.all(gates.map(hammer))
  expect(admitted).toBeGreaterThanOrEqual(300)
  expect(admitted).toBeLessThanOrEqual(300 + ((performance.now() - sinceMs) / 1_000) * 5)
})

test('when the Redis clock is set back, nobody is refused for longer than a bucket takes to empty', async () => {
  const { id } = await scene.newAccount('pro')
  const { key } = await scene.newKey(id)
  const accessControl = scene.newAccessControl()
  const caller = await accessControl.authenticate(key, ip)
  await scene.redis.ask((client) => client.set(`rate:{${id}}`, String(Number.MAX_SAFE_INTEGER)))
  const refusal = await faultOf(accessControl.admit(caller))
  expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
})

test('a key of the previous pepper works, is rehashed with the newest, and then works without the previous one', async () => {
  const { id } = await scene.newAccount()
  const { key } = await scene.newKey(id)
  const newest = 'the pepper that comes next, also long enough'
  expect((await faultOf(scene.newAccessControl({ peppers: new Peppers(newest) }).authenticate(key, ip))).code).toBe(
    'unauthenticated',
  )
  const moving = scene.newAccessControl({ peppers: new Peppers(newest, PEPPER) })
  await moving.authenticate(key, ip)
  const later = () => scene.newAccessControl({ peppers: new Peppers(newest) }).authenticate(key, ip)
  await expect
    .poll(
      () =>
        later().then(
          () => 'in',
          () => 'out',
        ),
      { timeout: 120_000 },
    )
    .toBe('in')
})

test('a key that is revoked while peppers rotate is refused at the next request by a node that knows its former hash', async () => {
  const { key, stored } = await scene.newKey((await scene.newAccount()).id)
  const former = scene.newAccessControl()
  const caller = await former.authenticate(key, ip)
  const [newest] = new Peppers('the pepper that comes next, also long enough').hashes(key)
  if (newest === undefined) throw new Error('no hash')
  await scene.keys.rehash({ id: stored.id, hash: scene.peppers.hash(key).hash }, newest)
  await revoke(stored.id)
  expect((await faultOf(former.admit(caller))).code).toBe('unauthenticated')
})

test('the last use of a key is written without delaying the request', async () => {
  const { id } = await scene.newAccount()
  const { key } = await scene.newKey(id)
  const accessControl = scene.newAccessControl({ nowMs: () => WORLD_NOW_MS })
  await accessControl.authenticate(key, ip)
  await accessControl.authenticate(key, ip)
  expect((await scene.keys.list(id))[0]?.lastUsedAtMs).toBeUndefined()
  await accessControl.close()
  expect((await scene.keys.list(id))[0]?.lastUsedAtMs).toBe(WORLD_NOW_MS)
})
