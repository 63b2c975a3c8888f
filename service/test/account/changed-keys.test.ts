import { postgresNowMs } from '@bookreel/testbed/postgres-now-ms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccountScene, type Member } from './account-scene.ts'

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function statusOf(key: string): Promise<number> {
  return (await scene.newBrowser().send('/v1/api-keys/validate', { headers: { 'x-api-key': key } })).status
}

/** By the clock of PostgreSQL. */
async function leftMs(until: string): Promise<number> {
  return Date.parse(until) - (await postgresNowMs(scene.access.database))
}

async function withKey(name: string): Promise<{ member: Member; id: string; key: string }> {
  const member = await scene.signedIn(name)
  const { body } = await member.ask('/v1/api-keys', 'POST', { label: 'first', creditLimit: 40 })
  return { member, id: body.id, key: body.key }
}

test('label, end and credit limit of a key are changed, and what is not sent stays', async () => {
  const { member, id, key } = await withKey('changer@example.test')
  const expiresAt = '2099-01-01T00:00:00.000Z'
  const changed = await member.ask(`/v1/api-keys/${id}`, 'PATCH', { label: ' bot ', expiresAt })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({ id, label: 'bot', expiresAt, creditLimit: 40, formerSecretUntil: null })
  const cleared = await member.ask(`/v1/api-keys/${id}`, 'PATCH', { expiresAt: null, creditLimit: null })
  expect(cleared.body).toMatchObject({ label: 'bot', expiresAt: null, creditLimit: null })
  expect((await member.ask('/v1/api-keys')).body).toEqual([cleared.body])
  const shown = await scene.newBrowser().send('/v1/api-keys/validate', { headers: { 'x-api-key': key } })
  expect(JSON.parse(shown.text)).toMatchObject({ label: 'bot' })
})

test('a key is rotated on a tier of one key: both secrets work, the limits stay, and the new secret is shown once', async () => {
  const { member, id, key } = await withKey('rotator@example.test')
  expect((await member.ask('/v1/api-keys', 'POST', { label: 'second' })).body.error).toBe('key_limit_reached')
  const rotated = await member.ask(`/v1/api-keys/${id}/rotate`, 'POST', { overlapSeconds: 60 })
  expect(rotated.status).toBe(200)
  const { key: newest, ...entry } = rotated.body
  expect(newest).toMatch(/^br_live_[0-9A-Za-z]{38}$/)
  expect(entry).toMatchObject({ id, label: 'first', creditLimit: 40, preview: `br_live_…${newest.slice(-4)}` })
  expect(Math.abs((await leftMs(entry.formerSecretUntil)) - 60_000)).toBeLessThan(30_000)
  expect([await statusOf(key), await statusOf(newest)]).toEqual([200, 200])
  const again = await member.ask(`/v1/api-keys/${id}/rotate`, 'POST', { overlapSeconds: 60 })
  expect(again.body).toMatchObject({
    error: 'rotation_running',
    status: 409,
    details: { former_secret_until: entry.formerSecretUntil },
  })
  expect([await statusOf(key), await statusOf(newest)]).toEqual([200, 200])
  const listed = await member.ask('/v1/api-keys')
  expect(listed.body).toHaveLength(1)
  expect(JSON.stringify(listed.body)).not.toContain(newest)
  await member.ask(`/v1/api-keys/${id}`, 'DELETE')
  expect([await statusOf(key), await statusOf(newest)]).toEqual([401, 401])
})

test('without a length the former secret works for an hour', async () => {
  const { member, id } = await withKey('hour@example.test')
  const { body } = await member.ask(`/v1/api-keys/${id}/rotate`, 'POST', {})
  expect(Math.abs((await leftMs(body.formerSecretUntil)) - 3_600_000)).toBeLessThan(30_000)
})

test('keys of other accounts, revoked keys and what is no id are 404 and stay as they are', async () => {
  const theirs = await withKey('owner@example.test')
  const { member, id: revoked } = await withKey('stranger@example.test')
  await member.ask(`/v1/api-keys/${revoked}`, 'DELETE')
  for (const id of [theirs.id, revoked, 'nonsense', `${theirs.id}'--`]) {
    const path = `/v1/api-keys/${encodeURIComponent(id)}`
    const answers = [await member.ask(path, 'PATCH', { label: 'mine' }), await member.ask(`${path}/rotate`, 'POST', {})]
    for (const { status, body } of answers)
      expect([status, body.error, body.message]).toEqual([
        404,
        'key_not_found',
        'This account has no working key with this id.',
      ])
  }
  expect(await statusOf(theirs.key)).toBe(200)
  expect((await theirs.member.ask('/v1/api-keys')).body).toMatchObject([{ label: 'first' }])
})

test.each<[what: string, path: string, method: 'PATCH' | 'POST', body: unknown]>([
  ['no change', '', 'PATCH', {}],
  ['nothing', '', 'PATCH', undefined],
  ['other scopes', '', 'PATCH', { scopes: ['live'] }],
  ['an empty label', '', 'PATCH', { label: ' ' }],
  ['a label too long', '', 'PATCH', { label: 'x'.repeat(65) }],
  ['an end in the past', '', 'PATCH', { expiresAt: '2025-01-01T00:00:00Z' }],
  ['fewer than no credits', '', 'PATCH', { creditLimit: -1 }],
  ['an overlap of more than a day', '/rotate', 'POST', { overlapSeconds: 86_401 }],
  ['a negative overlap', '/rotate', 'POST', { overlapSeconds: -1 }],
  ['half a second', '/rotate', 'POST', { overlapSeconds: 0.5 }],
  ['a secret of its own', '/rotate', 'POST', { key: 'mine' }],
])('a change with %s is refused', async (what, path, method, body) => {
  const { member, id, key } = await withKey(`refused-${what.replaceAll(' ', '-')}@example.test`)
  const answer = await member.ask(`/v1/api-keys/${id}${path}`, method, body)
  expect(answer.body).toMatchObject({ error: 'invalid_request', status: 400 })
  expect((await member.ask('/v1/api-keys')).body).toMatchObject([{ label: 'first', formerSecretUntil: null }])
  expect(await statusOf(key)).toBe(200)
})
