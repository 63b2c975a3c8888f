import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { explains, namesProblem } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const KEYS = '/v1/api-keys'
const DAY_MS = 86_400_000
const UNKNOWN = '0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a'
const OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }
const sent = (method: 'POST' | 'PATCH' | 'DELETE', body: object = {}) => ({
  method,
  headers: OUR_PAGES,
  payload: JSON.stringify(body),
})

/** A key of the key maker, revoked when the check is done. */
async function withKey(
  scene: ContractScene,
  check: (made: { id: string; key: string }) => Promise<void>,
): Promise<void> {
  const { body } = await scene.ask('key maker', KEYS, sent('POST', { label: 'to be changed' }))
  try {
    await check(body)
  } finally {
    const { 'content-type': _, ...headers } = OUR_PAGES
    await scene.ask('key maker', `${KEYS}/${body.id}`, { method: 'DELETE', headers })
  }
}

export const accountAddedClauses: readonly Clause[] = [
  clause('added', 'Label, end and credit limit of a key can be changed; what is not sent stays.', [
    served('key maker', KEYS, (_, scene) =>
      withKey(scene, async ({ id }) => {
        const change = (body: object) => scene.ask('key maker', `${KEYS}/${id}`, sent('PATCH', body))
        const { body: first } = await change({ label: 'bot', creditLimit: 70 })
        assert.deepEqual([first.label, first.creditLimit, first.expiresAt], ['bot', 70, null])
        const expiresAt = new Date(scene.nowMs + DAY_MS).toISOString()
        const { body: second } = await change({ expiresAt, creditLimit: null })
        assert.deepEqual([second.label, second.creditLimit, second.expiresAt], ['bot', null, expiresAt])
        assert.equal((await change({})).status, 400)
      }),
    ),
    refused('member', `${KEYS}/${UNKNOWN}`, [404, 'key_not_found'], explains(/key/), sent('PATCH', { label: 'x' })),
  ]),
  clause('added', 'A key gets another secret; the former one works for `overlapSeconds`.', [
    served('key maker', KEYS, (_, scene) =>
      withKey(scene, async ({ id, key }) => {
        const rotate = (body: object) => scene.ask('key maker', `${KEYS}/${id}/rotate`, sent('POST', body))
        const isAccepted = async (secret: string) =>
          (await scene.ask('nobody', `${KEYS}/validate`, { headers: { 'x-api-key': secret } })).status === 200
        const { body: rotated } = await rotate({ overlapSeconds: 600 })
        assert.equal(rotated.id, id)
        assert.deepEqual([await isAccepted(key), await isAccepted(rotated.key)], [true, true])
        assert.equal((await rotate({ overlapSeconds: 86_401 })).status, 400)
        const again = await rotate({ overlapSeconds: 600 })
        assert.deepEqual([again.status, again.body.error], [409, 'rotation_running'])
        assert.deepEqual([await isAccepted(key), await isAccepted(rotated.key)], [true, true])
      }),
    ),
    refused('member', `${KEYS}/${UNKNOWN}/rotate`, [404, 'key_not_found'], explains(/key/), sent('POST')),
  ]),
  clause('added', 'Every charge and grant is listed with the balance after it, newest first.', [
    served('own account', '/v1/credits?limit=2', async ({ body: { balance, entries } }, scene) => {
      assert.equal(entries[0].balanceAfter, balance)
      const paid = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=1')
      assert.equal(paid.status, 200)
      const { body } = await scene.ask('own account', '/v1/credits?limit=1')
      const [charge] = body.entries
      assert.deepEqual(
        [charge.kind, charge.credits, charge.endpoint, charge.balanceAfter],
        ['charge', -10, 'list_snapshots', balance - 10],
      )
      const next = await scene.ask('own account', `/v1/credits?limit=1&cursor=${body.next_cursor}`)
      assert.deepEqual(next.body.entries, entries.slice(0, 1))
    }),
    refused('pro', '/v1/credits?cursor=x', [400, 'invalid_request'], namesProblem('cursor')),
  ]),
  clause('added', 'An invoice says in which coin and how much is due; the coins are listed for all.', [
    served('nobody', '/v1/payments/currencies', ({ body }) => assert.ok(body.currencies[0].id.length > 1)),
    served('member', '/v1/payments/invoices?limit=1', async (_, scene) => {
      const order = sent('POST', { pack: 'credits_10k', currency: 'eth' })
      const { body } = await scene.ask('member', '/v1/payments/create-invoice', order)
      assert.deepEqual([body.payCurrency, body.amountDue, body.address], ['eth', null, null])
    }),
  ]),
  clause('added', 'A finished hour can be looked at and downloaded without a key.', [
    served('nobody', '/v1/samples', async ({ body: { samples } }, scene) => {
      const [{ snapshots_path: path, file_path: file, sha256 }] = samples
      const { body } = await scene.ask('nobody', path)
      assert.ok(body.snapshots.length > 0)
      const { body: map } = await scene.ask('nobody', `${path}/heatmap?side=DOWN`)
      assert.deepEqual([map.side, map.tiles[0].columns], ['DOWN', 256])
      assert.equal((await scene.ask('nobody', `${file}?dry_run=true`)).body.sha256, sha256)
      assert.equal((await scene.ask('nobody', `${file}?dry_run=false`)).headers['x-sha256'], sha256)
    }),
    refused('nobody', '/v1/samples/none', [404, 'sample_not_found'], explains(/sample/)),
    refused('nobody', '/v1/samples/none/heatmap?side=DOWN', [404, 'sample_not_found'], explains(/sample/)),
    refused('nobody', '/v1/samples/none/file', [404, 'sample_not_found'], explains(/sample/)),
  ]),
  clause('added', 'What happened to an account is listed for its signed-in user, newest first.', [
    served('member', '/v1/account/events?limit=1', async ({ body }, scene) => {
      assert.equal(body.events.length, 1)
      const { body: next } = await scene.ask('member', `/v1/account/events?limit=500&cursor=${body.next_cursor}`)
      const kinds = next.events.map(({ kind }: { kind: string }) => kind)
      assert.ok(kinds.includes('account_made'))
      assert.ok(!next.events.some(({ at }: { at: string }) => at > body.events[0].at))
    }),
    refused('member', '/v1/account/events?cursor=x', [400, 'invalid_request'], namesProblem('cursor')),
  ]),
]
