import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { AccountScene, type Member } from './account-scene.ts'

const FREE = 5_000
const DAY_MS = 86_400_000

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

interface Payer {
  readonly accountId: string
  readonly keyId: string
  readonly ask: (path: string) => ReturnType<typeof asked>
}

async function asked(key: string, path: string) {
  const { status, text } = await scene.newBrowser().send(path, { headers: { 'x-api-key': key } })
  return { status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

async function payer(name: string, member?: Member): Promise<Payer> {
  const { accountId } = member ?? (await scene.signedIn(name, 'scale'))
  const { key, stored } = await issueKey(scene.access, { accountId, label: 'bot' })
  return { accountId, keyId: stored.id, ask: (path) => asked(key, path) }
}

function charge({ accountId, keyId }: Payer, credits: number, idem: string) {
  const what = { fingerprint: 'f', endpoint: 'export_hour', requestId: `request ${idem}` }
  return scene.access.ledger.charge({ accountId, keyId, credits, idem, ...what })
}

test('grants, charges and refunds are listed newest first, each with the balance after it', async () => {
  const user = await payer('spender@example.test')
  await scene.access.ledger.grant({ accountId: user.accountId, credits: 50, kind: 'adjustment', idem: 'more' })
  await charge(user, 30, 'once:1')
  await charge(user, 7, 'client:mine')
  await charge(user, 7, 'client:mine')
  await scene.access.ledger.void(user.accountId, 'once:1')
  const { status, body } = await user.ask('/v1/credits')
  expect(status).toBe(200)
  const total = FREE + 50
  expect(body).toMatchObject({ balance: total - 7, next_cursor: null })
  const shown = body.entries.map(({ kind, credits, balanceAfter }: Record<string, unknown>) => [
    kind,
    credits,
    balanceAfter,
  ])
  expect(shown).toEqual([
    ['refund', 30, total - 7],
    ['charge', -7, total - 37],
    ['charge', -30, total - 30],
    ['adjustment', 50, total],
    ['grant', FREE, FREE],
  ])
  expect(body.entries[0].refundOf).toBe(body.entries[2].id)
  expect(body.entries[1]).toMatchObject({
    endpoint: 'export_hour',
    keyId: user.keyId,
    keyLabel: 'bot',
    requestId: 'request client:mine',
    downloadUntil: null,
  })
})

test('entries of one statement, such as two paid months, have one balance after the other', async () => {
  const user = await payer('months@example.test')
  await sql`INSERT INTO ledger (account_id, delta, kind, idem)
    VALUES (${user.accountId}::uuid, 100, 'grant', 'month:1'), (${user.accountId}::uuid, 100, 'grant', 'month:2')`.execute(
    scene.access.database,
  )
  const { body } = await user.ask('/v1/credits?limit=2')
  expect(body.balance).toBe(FREE + 200)
  const after = body.entries.map(({ balanceAfter }: { balanceAfter: number }) => balanceAfter)
  expect(after).toEqual([FREE + 200, FREE + 100])
})

test('a file that was bought is listed with its path and the end of free downloads', async () => {
  const user = await payer('buyer@example.test')
  await charge(user, 20, 'held:2026-11-17:export:0xab:2026-11-17T10:00:00.000Z')
  await charge(user, 20, 'held:2026-11-17:another:kind')
  await charge(user, 20, 'held:2026-11-17:file:polymarket-btc-5m:2026-11-15')
  const [ofDay, ...entries] = (await user.ask('/v1/credits?limit=3')).body.entries
  expect(ofDay).toMatchObject({ downloadPath: '/v1/files/polymarket-btc-5m-2026-11-15-r1', downloadUntil: null })
  expect(entries[1].downloadPath).toBe('/v1/markets/0xab/export?hour=2026-11-17T10:00:00.000Z')
  expect(Date.parse(entries[1].downloadUntil)).toBe(Date.parse(entries[1].at) + DAY_MS)
  expect(entries[0]).toMatchObject({ downloadPath: null, downloadUntil: expect.any(String) })
})

test('concurrent charges and grants leave a chain: each balance is the one before plus the entry', async () => {
  const user = await payer('busy@example.test')
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 4 === 0
        ? scene.access.ledger.grant({ accountId: user.accountId, credits: 5, kind: 'adjustment', idem: `g${index}` })
        : charge(user, 3, `once:${index}`),
    ),
  )
  const { balance, entries } = (await user.ask('/v1/credits?limit=500')).body
  expect(entries).toHaveLength(41)
  let expected = balance
  for (const { credits, balanceAfter } of entries) {
    expect(balanceAfter).toBe(expected)
    expected -= credits
  }
  expect(expected).toBe(0)
})

test('pages follow each other without a gap, also when something is charged in between, and are only of the own account', async () => {
  const [user, other] = [await payer('pages@example.test'), await payer('other@example.test')]
  for (const index of [1, 2, 3, 4]) await charge(user, index, `once:${index}`)
  const first = (await user.ask('/v1/credits?limit=2')).body
  await charge(user, 9, 'once:9')
  const second = (await user.ask(`/v1/credits?limit=3&cursor=${first.next_cursor}`)).body
  const credits = [...first.entries, ...second.entries].map((each: { credits: number }) => each.credits)
  expect(credits).toEqual([-4, -3, -2, -1, FREE])
  expect(second.next_cursor).toBeNull()
  const foreign = await other.ask(`/v1/credits?cursor=${first.next_cursor}`)
  expect(foreign.body).toMatchObject({ error: 'invalid_request', status: 400 })
  expect((await other.ask('/v1/credits')).body.entries).toHaveLength(1)
  expect((await user.ask('/v1/credits?limit=501')).status).toBe(400)
  const flat = await user.ask('/v1/credits?format=csv&limit=1')
  expect(flat.text.split('\n')[0]).toMatch(/^id,at,kind,credits,balanceAfter,endpoint/)
})

test('the signed-in user sees the events of the account, page by page, as the operator does', async () => {
  const member = await scene.signedIn('watcher@example.test')
  const { body: made } = await member.ask('/v1/api-keys', 'POST', { label: 'first' })
  await member.ask(`/v1/api-keys/${made.id}/rotate`, 'POST', {})
  await member.ask(`/v1/api-keys/${made.id}`, 'PATCH', { label: 'second' })
  await scene.access.accounts.setTier(member.accountId, { tier: 'scale', monthlyCredits: 0 })
  const pages: { at: string; kind: string; subject: string; detail: Record<string, unknown> }[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await member.ask(`/v1/account/events?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    pages.push(...body.events)
    cursor = body.next_cursor
  }
  const { body: whole } = await member.ask('/v1/account/events')
  expect(pages).toEqual(whole.events)
  expect(whole.next_cursor).toBeNull()
  const kinds = pages.map(({ kind }) => kind)
  for (const kind of ['account_made', 'key_made', 'key_rotated', 'key_changed', 'tier_changed', 'credits_grant'])
    expect(kinds).toContain(kind)
  expect(pages.find(({ kind }) => kind === 'key_rotated')).toMatchObject({ subject: made.id })
  expect(JSON.stringify(pages)).not.toContain(made.key)
  const other = await scene.signedIn('stranger@example.test')
  const foreign = (await other.ask('/v1/account/events')).body.events
  expect(JSON.stringify(foreign)).not.toContain(made.id)
  const first = (await member.ask('/v1/account/events?limit=1')).body
  expect((await other.ask(`/v1/account/events?cursor=${first.next_cursor}`)).body.error).toBe('invalid_request')
  expect((await member.ask('/v1/account/events?limit=501')).status).toBe(400)
  const { ask } = await payer('reader@example.test')
  expect((await ask('/v1/credits?limit=501')).status).toBe(400)
})
