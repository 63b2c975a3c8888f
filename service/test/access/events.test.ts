import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Events } from '../../src/stores/accounts/events.ts'
import { AccessScene } from './access-scene.ts'

let scene: AccessScene
let events: Events
beforeAll(async () => {
  scene = await AccessScene.open()
  events = new Events(scene.database)
})
afterAll(() => scene?.[Symbol.asyncDispose]())

test('account events are listed newest first, with credits and without secrets', async () => {
  const { id: accountId } = await scene.accounts.create('Ada')
  await scene.accounts.setTier(accountId, { tier: 'pro', monthlyCredits: 7 })
  const { key, stored } = await scene.newKey(accountId, { creditLimit: 50 })
  const charge = { accountId, keyId: stored.id, credits: 10, idem: 'client:1', fingerprint: 'f', requestId: 'r' }
  await scene.ledger.charge({ ...charge, endpoint: 'list_snapshots' })
  await events.note({ accountId, kind: 'session_started', subject: 's1', detail: { how: 'browser' } })
  await events.note({ accountId, kind: 'session_ended', subject: 's1' })
  await scene.keys.revoke(stored.id)
  const listed = await events.list(accountId, 100)
  // Events of the same millisecond have no order, so only their times are compared.
  expect(listed.map(({ kind }) => kind).toSorted()).toEqual([
    'account_made',
    'credits_charge',
    'credits_grant',
    'key_made',
    'key_revoked',
    'session_ended',
    'session_started',
    'tier_changed',
  ])
  const times = listed.map(({ place }) => place.atMs)
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  const byKind = new Map(listed.map((event) => [event.kind, event]))
  expect(byKind.get('tier_changed')).toMatchObject({
    subject: accountId,
    detail: { former_tier: 'free', tier: 'pro', monthly_credits: 7 },
  })
  expect(byKind.get('key_made')).toMatchObject({ subject: stored.id, detail: { label: 'test', credit_limit: 50 } })
  expect(byKind.get('credits_charge')?.detail).toMatchObject({ credits: -10, endpoint: 'list_snapshots' })
  const text = JSON.stringify(listed)
  expect(text).not.toContain(key)
  const { rows } = await sql<{ hash: string }>`SELECT encode(hash, 'hex') AS hash FROM api_keys`.execute(scene.database)
  for (const { hash } of rows) expect(text).not.toContain(hash)
})

test('paid requests write credit events only', async () => {
  const account = await scene.newAccount('pro', 100)
  const before = await events.list(account.id, 100)
  await scene.ledger.grant({ accountId: account.id, credits: 5, kind: 'adjustment', idem: 'more' })
  const { stored } = await scene.newKey(account.id)
  await scene.keys.noteUse([{ keyId: stored.id, atMs: WORLD_NOW_MS }])
  const after = await events.list(account.id, 100)
  const kinds = after.slice(0, after.length - before.length).map(({ kind }) => kind)
  expect(kinds.toSorted()).toEqual(['credits_adjustment', 'key_made'])
})

test.each([
  ['changed', sql`UPDATE events SET kind = 'tier_changed'`],
  ['removed', sql`DELETE FROM events`],
  ['emptied', sql`TRUNCATE events`],
])('events are not %s', async (_, change) => {
  await expect(change.execute(scene.database)).rejects.toThrow(/append-only/)
})
