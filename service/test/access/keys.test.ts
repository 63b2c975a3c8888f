import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Peppers } from '../../src/access/peppers.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { SCOPES } from '../../src/domain/scope.ts'
import { AccessScene, faultOf } from './access-scene.ts'

/** After all that PostgreSQL calls now. */
const FAR_MS = Date.parse('9999-01-01T00:00:00Z')

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const revokeDeps = () => ({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} })

test('of 200 concurrent requests for a key on a tier of 5 keys, 5 succeed', async () => {
  const { id } = await scene.newAccount('pro')
  const asked = await Promise.allSettled(Array.from({ length: 200 }, () => scene.newKey(id)))
  const refused = asked.filter((outcome) => outcome.status === 'rejected')
  expect(asked.length - refused.length).toBe(5)
  expect(new Set(refused.map(({ reason }) => reason.code))).toEqual(new Set(['key_limit_reached']))
  expect(await scene.keys.list(id)).toHaveLength(5)
})

test('revoked and expired keys do not count for the key limit, working ones do', async () => {
  const { id } = await scene.newAccount('free')
  const { stored } = await scene.newKey(id)
  expect((await faultOf(scene.newKey(id))).body).toMatchObject({ error: 'key_limit_reached', status: 403 })
  expect(await revokeKey(revokeDeps(), stored.id)).toBe(true)
  await scene.newKey(id, { expiresAtMs: 0 })
  await scene.newKey(id, { expiresAtMs: FAR_MS })
  expect((await faultOf(scene.newKey(id))).code).toBe('key_limit_reached')
})

test('a key is listed as it was created, and found with the permissions of its account', async () => {
  const { id } = await scene.newAccount('scale')
  const expiresAtMs = FAR_MS
  const { key, stored } = await scene.newKey(id, { scopes: ['live', 'mcp'], expiresAtMs, creditLimit: 70 })
  expect(await scene.keys.list(id)).toEqual([stored])
  expect(stored).toMatchObject({
    accountId: id,
    label: 'test',
    scopes: ['live', 'mcp'],
    expiresAtMs,
    creditLimit: 70,
    preview: `br_live_…${key.slice(-4)}`,
    spentThisMonth: 0,
  })
  const [hash] = scene.peppers.hashes(key)
  expect(await scene.keys.find([hash?.hash ?? Buffer.alloc(0)])).toMatchObject({
    id: stored.id,
    standing: { tier: 'scale', isValid: true },
  })
  expect((await scene.newKey(id)).stored.scopes).toEqual([...SCOPES])
})

test('an account can revoke only its own keys, each once, and an invalid id revokes nothing', async () => {
  const [mine, theirs] = [await scene.newAccount(), await scene.newAccount()]
  const { stored } = await scene.newKey(theirs.id)
  expect(await revokeKey(revokeDeps(), stored.id, mine.id)).toBe(false)
  expect((await scene.keys.list(theirs.id))[0]?.revokedAtMs).toBeUndefined()
  expect(await revokeKey(revokeDeps(), "' OR 1=1", theirs.id)).toBe(false)
  expect(await revokeKey(revokeDeps(), stored.id, theirs.id)).toBe(true)
  expect(await revokeKey(revokeDeps(), stored.id, theirs.id)).toBe(false)
})

test('the database holds no key in clear text, and the hash is useless without the pepper', async () => {
  const { id } = await scene.newAccount()
  const { key } = await scene.newKey(id)
  const { rows } = await sql<{ text: string }>`
    SELECT api_keys::text AS text FROM api_keys UNION ALL SELECT accounts::text FROM accounts`.execute(scene.database)
  const dump = rows.map(({ text }) => text).join('\n')
  expect(dump).toContain(id)
  expect(dump).not.toContain(key)
  expect(dump).not.toContain(Buffer.from(key).toString('hex'))
  expect(dump).not.toContain(key.slice(8, 40))
  const others = new Peppers('another pepper, as long as the first one is')
  expect(await scene.keys.find(others.hashes(key).map(({ hash }) => hash))).toBeUndefined()
})

test('the last use of a key is written at most once a minute', async () => {
  const { id } = await scene.newAccount()
  const { stored } = await scene.newKey(id)
  const usedAtMs = async () => (await scene.keys.list(id))[0]?.lastUsedAtMs
  const firstMs = WORLD_NOW_MS
  await scene.keys.noteUse([{ keyId: stored.id, atMs: firstMs }])
  await scene.keys.noteUse([{ keyId: stored.id, atMs: firstMs + 59_000 }])
  expect(await usedAtMs()).toBe(firstMs)
  await scene.keys.noteUse([{ keyId: stored.id, atMs: firstMs + 60_000 }])
  expect(await usedAtMs()).toBe(firstMs + 60_000)
})
