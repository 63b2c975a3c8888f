import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Caller } from '../../src/access/caller.ts'
import { Peppers } from '../../src/access/peppers.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { rotateKey } from '../../src/access/rotate-key.ts'
import { AccessWatch } from '../../src/gateway/admission/access-watch.ts'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { Events } from '../../src/stores/accounts/events.ts'
import { AccessScene, faultOf, PEPPER } from './access-scene.ts'

const IP = '10.0.0.1'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function rotate(accountId: string, keyId: string, overlapSeconds: number): Promise<string> {
  const rotated = await rotateKey(scene, { accountId, keyId, overlapSeconds })
  if (rotated === undefined) throw new Error('the key was not rotated')
  return rotated.key
}

/** As a node that has cached nothing. */
async function isAccepted(key: string): Promise<boolean> {
  return scene
    .newAccessControl()
    .authenticate(key, IP)
    .then(
      () => true,
      () => false,
    )
}

test('both secrets work during the overlap, as the same key; then the former one is refused like a revoked key', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const newest = await rotate(id, stored.id, 600)
  const node = scene.newAccessControl()
  const callers = await Promise.all([key, newest].map((each) => node.authenticate(each, IP)))
  expect(callers.map(({ keyId }) => keyId)).toEqual([stored.id, stored.id])
  expect(callers.map(({ secretNumber }) => secretNumber)).toEqual([1, 2])
  // The node keeps the end itself, also while it can't ask PostgreSQL.
  expect(Math.abs((callers[0]?.end?.atMs ?? 0) - node.nowMs() - 600_000)).toBeLessThan(60_000)
  expect(callers[1]?.end).toBeUndefined()
  await endFormer(stored.id)
  const other = await scene.newKey(id)
  await scene.keys.revoke(other.stored.id)
  const refusals = await Promise.all(
    [key, other.key].map((each) => faultOf(scene.newAccessControl().authenticate(each, IP))),
  )
  expect(refusals[0]?.body).toEqual(refusals[1]?.body)
  await node.authenticate(newest, IP)
})

/** As if the overlap was over: the clock of PostgreSQL can't be moved. */
async function endFormer(keyId: string): Promise<void> {
  await sql`UPDATE api_keys SET former_until = now() - interval '1 second' WHERE id = ${keyId}`.execute(scene.database)
}

test('an overlap of 0 ends all earlier secrets at once, also one whose overlap is not over', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const second = await rotate(id, stored.id, 0)
  expect([await isAccepted(key), await isAccepted(second)]).toEqual([false, true])
  const third = await rotate(id, stored.id, 600)
  const fourth = await rotate(id, stored.id, 0)
  expect(await Promise.all([second, third, fourth].map(isAccepted))).toEqual([false, false, true])
})

test('a rotation that is repeated because its answer was lost is refused, and the secret in use goes on working', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  await rotate(id, stored.id, 600)
  const refusal = await faultOf(rotate(id, stored.id, 600))
  expect(refusal).toMatchObject({ code: 'rotation_running', status: 409 })
  expect(await isAccepted(key)).toBe(true)
  await endFormer(stored.id)
  expect(await isAccepted(await rotate(id, stored.id, 600))).toBe(true)
})

test('of two rotations at the same time one is refused, and the secret in use goes on working', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => rotate(id, stored.id, 600)))
  const newest = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  expect(newest).toHaveLength(1)
  expect(await Promise.all([key, ...newest].map(isAccepted))).toEqual([true, true])
})

test('the database keeps the overlap within a day', async () => {
  const { id } = await scene.newAccount()
  const { stored } = await scene.newKey(id)
  await rotate(id, stored.id, 1_000_000)
  const [key] = await scene.keys.list(id)
  expect((key?.formerSecretUntilMs ?? 0) - (await postgresNowMs(scene.database))).toBeLessThanOrEqual(86_400_000)
})

test('a node that has cached the former secret forgets it when PostgreSQL tells of the rotation', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const node = scene.newAccessControl()
  await node.authenticate(key, IP)
  await rotate(id, stored.id, 0)
  node.apply({ kind: 'key', keyId: stored.id })
  expect((await faultOf(node.authenticate(key, IP))).code).toBe('unauthenticated')
})

test('to revoke a key ends both secrets, and a revoked, expired or foreign key is not rotated', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const newest = await rotate(id, stored.id, 600)
  const foreign = { accountId: (await scene.newAccount()).id, keyId: stored.id, overlapSeconds: 0 }
  expect(await rotateKey(scene, foreign)).toBeUndefined()
  expect(await rotateKey(scene, { ...foreign, accountId: id, keyId: "' OR 1=1" })).toBeUndefined()
  await revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, stored.id, id)
  expect(await Promise.all([key, newest].map(isAccepted))).toEqual([false, false])
  expect(await rotateKey(scene, { accountId: id, keyId: stored.id, overlapSeconds: 0 })).toBeUndefined()
  const expired = await scene.newKey(id, { expiresAtMs: 0 })
  expect(await rotateKey(scene, { accountId: id, keyId: expired.stored.id, overlapSeconds: 0 })).toBeUndefined()
  expect(await scene.keys.change(id, expired.stored.id, { expiresAtMs: null })).toBeUndefined()
})

test('a new pepper replaces the hash of each secret by its own, also when the key was rotated meanwhile', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const peppers = new Peppers('the pepper that comes next, also long enough', PEPPER)
  const known = { id: stored.id, hash: scene.peppers.hash(key).hash }
  const newest = await rotate(id, stored.id, 600)
  await scene.keys.rehash(known, peppers.hash(key))
  const moved = scene.newAccessControl({ peppers: new Peppers('the pepper that comes next, also long enough') })
  await moved.authenticate(key, IP)
  expect(await isAccepted(newest)).toBe(true)
  await scene.keys.rehash({ id: stored.id, hash: scene.peppers.hash(newest).hash }, peppers.hash(newest))
  const later = scene.newAccessControl({ peppers: new Peppers('the pepper that comes next, also long enough') })
  await Promise.all([key, newest].map((each) => later.authenticate(each, IP)))
})

test('streams that were opened with the former secret end with it, and those of the new one stay open', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const node = scene.newAccessControl()
  const former = await node.authenticate(key, IP)
  const newest = await scene.newAccessControl().authenticate(await rotate(id, stored.id, 600), IP)
  const watch = new AccessWatch({
    accessControl: node,
    keys: scene.keys,
    marks: new AccessMarks(scene.redis),
    onTrouble: () => {},
  })
  const ended: string[] = []
  const open = (connectionId: string, caller: Caller): void =>
    watch.add({ connectionId, caller } as Parameters<AccessWatch['add']>[0], () => ended.push(connectionId))
  open('former', former)
  open('newest', newest)
  await endFormer(stored.id)
  watch.changed({ kind: 'key', keyId: stored.id })
  await vi.waitUntil(() => ended.length > 0, { timeout: 120_000 })
  await rotate(id, stored.id, 0)
  watch.changed({ kind: 'key', keyId: stored.id })
  await vi.waitUntil(() => ended.length > 1, { timeout: 120_000 })
  expect(ended).toEqual(['former', 'newest'])
})

test('a rotation and a change are events of the account, without secrets', async () => {
  const { id } = await scene.newAccount()
  const { key, stored } = await scene.newKey(id)
  const newest = await rotate(id, stored.id, 600)
  await scene.keys.change(id, stored.id, { label: 'bot', creditLimit: 5 })
  await scene.keys.change(id, stored.id, { label: 'bot' })
  const events = await new Events(scene.database).list(id, 100)
  const ofKey = events.filter(({ subject }) => subject === stored.id)
  expect(ofKey.map(({ kind }) => kind).toSorted()).toEqual(['key_changed', 'key_made', 'key_rotated'])
  expect(ofKey.find(({ kind }) => kind === 'key_rotated')?.detail.former_secret_until).toBeDefined()
  expect(ofKey.find(({ kind }) => kind === 'key_changed')?.detail).toMatchObject({ label: 'bot', credit_limit: 5 })
  for (const secret of [key, newest]) expect(JSON.stringify(events)).not.toContain(secret)
})
