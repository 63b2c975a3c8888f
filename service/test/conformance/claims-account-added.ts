import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { explains } from './checks.ts'
import { type Claim, claim, refused, served } from './claim.ts'
import type { ClaimScene } from './claim-scene.ts'

const KEYS = '/v1/api-keys'
const UNKNOWN = '0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a'
const OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }
const sent = (method: 'POST' | 'PATCH' | 'DELETE', body: object = {}) => ({
  method,
  headers: OUR_PAGES,
  payload: JSON.stringify(body),
})

/** A key of the key maker, revoked when the check is done. */
async function withKey(scene: ClaimScene, check: (made: { id: string; key: string }) => Promise<void>): Promise<void> {
  const { body } = await scene.ask('key maker', KEYS, sent('POST', { label: 'to be changed' }))
  try {
    await check(body)
  } finally {
    const { 'content-type': _, ...headers } = OUR_PAGES
    await scene.ask('key maker', `${KEYS}/${body.id}`, { method: 'DELETE', headers })
  }
}

export const accountAddedClaims: readonly Claim[] = [
  claim('added', 'keys.change', 'Label, end and credit limit of a key can be changed; what is not sent stays.', [
    served('key maker', KEYS, (_, scene) =>
      withKey(scene, async ({ id }) => {
        const change = (body: object) => scene.ask('key maker', `${KEYS}/${id}`, sent('PATCH', body))
        const { body: first } = await change({ label: 'bot', creditLimit: 70 })
        assert.deepEqual([first.label, first.creditLimit, first.expiresAt], ['bot', 70, null])
        const { body: second } = await change({ expiresAt: '2100-01-01T00:00:00Z', creditLimit: null })
        assert.deepEqual(
          [second.label, second.creditLimit, second.expiresAt],
          ['bot', null, '2100-01-01T00:00:00.000Z'],
        )
        assert.equal((await change({})).status, 400)
      }),
    ),
    refused('member', `${KEYS}/${UNKNOWN}`, [404, 'key_not_found'], explains(/key/), sent('PATCH', { label: 'x' })),
  ]),
  claim('added', 'keys.rotate', 'A key gets another secret; the former one works for `overlap_seconds`.', [
    served('key maker', KEYS, (_, scene) =>
      withKey(scene, async ({ id, key }) => {
        const rotate = (body: object) => scene.ask('key maker', `${KEYS}/${id}/rotate`, sent('POST', body))
        const isAccepted = async (secret: string) =>
          (await scene.ask('nobody', `${KEYS}/validate`, { headers: { 'x-api-key': secret } })).status === 200
        const { body: rotated } = await rotate({ overlap_seconds: 600 })
        assert.equal(rotated.id, id)
        assert.deepEqual([await isAccepted(key), await isAccepted(rotated.key)], [true, true])
        assert.equal((await rotate({ overlap_seconds: 86_401 })).status, 400)
      }),
    ),
    refused('member', `${KEYS}/${UNKNOWN}/rotate`, [404, 'key_not_found'], explains(/key/), sent('POST')),
  ]),
]
