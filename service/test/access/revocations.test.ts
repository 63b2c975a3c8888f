import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRevocations } from '../../src/access/revocations.ts'
import type { AccessChange } from '../../src/stores/accounts/access-changes.ts'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { AccessScene } from './access-scene.ts'

const IP = '10.0.0.1'

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** An AccessControl that listens for changes, and the changes that its connections would get. */
async function openListener() {
  const accessControl = scene.newAccessControl()
  const changes: AccessChange[] = []
  accessControl.onChange((change) => changes.push(change))
  const stop = new AbortController()
  const databaseUrl = scene.stack.variable('DATABASE_URL')
  const running = runRevocations(
    { databaseUrl, accessControl, marks: new AccessMarks(scene.redis), onTrouble: () => {} },
    stop.signal,
  )
  await expect.poll(() => changes).toEqual([{ kind: 'anything' }])
  return {
    accessControl,
    changes,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

const isRefused = (call: Promise<unknown>) =>
  call.then(
    () => false,
    () => true,
  )

test('every node drops a key from its cache as soon as it is revoked, without Redis and without expiry', async () => {
  await using one = await openListener()
  await using other = await openListener()
  const { id } = await scene.newAccount()
  const [ended, kept] = [await scene.newKey(id), await scene.newKey(id)]
  for (const { accessControl } of [one, other]) {
    await accessControl.authenticate(ended.key, IP)
    await accessControl.authenticate(kept.key, IP)
  }
  await scene.keys.revoke(ended.stored.id)
  for (const { accessControl, changes } of [one, other]) {
    await expect.poll(() => isRefused(accessControl.authenticate(ended.key, IP))).toBe(true)
    expect(changes).toContainEqual({ kind: 'key', keyId: ended.stored.id })
    expect((await accessControl.authenticate(kept.key, IP)).keyId).toBe(kept.stored.id)
  }
})

test('a changed tier applies on every node at once', async () => {
  await using listener = await openListener()
  const { id } = await scene.newAccount('pro')
  const { key } = await scene.newKey(id)
  expect((await listener.accessControl.authenticate(key, IP)).tier).toBe('pro')
  await scene.accounts.setTier(id, { tier: 'enterprise', monthlyCredits: 0 })
  const tier = async () => (await listener.accessControl.authenticate(key, IP)).tier
  await expect.poll(tier).toBe('enterprise')
  expect(listener.changes).toContainEqual({ kind: 'account', accountId: id })
})

test('when the listener reconnects, the whole cache is cleared, because changes may have been missed', async () => {
  await using listener = await openListener()
  const { key, stored } = await scene.newKey((await scene.newAccount()).id)
  await listener.accessControl.authenticate(key, IP)
  await scene.stack.engine('postgres').kill()
  await scene.stack.engine('postgres').restart()
  // The change applies whether the key is revoked before or after the listener reconnects.
  await expect.poll(() => isRefused(scene.keys.revoke(stored.id))).toBe(false)
  await expect
    .poll(() => listener.changes.filter(({ kind }) => kind === 'anything').length, { timeout: 120_000 })
    .toBe(2)
  await expect.poll(() => isRefused(listener.accessControl.authenticate(key, IP))).toBe(true)
})

test('a removed listener is not called', () => {
  const accessControl = scene.newAccessControl()
  const changes: AccessChange[] = []
  const leave = accessControl.onChange((change) => changes.push(change))
  accessControl.apply({ kind: 'key', keyId: 'one' })
  leave()
  accessControl.apply({ kind: 'key', keyId: 'two' })
  expect(changes).toEqual([{ kind: 'key', keyId: 'one' }])
})
