import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { explains } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const KEYS = '/v1/api-keys'
const UNKNOWN = '0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a'
const OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel', 'content-type': 'application/json' }
const sent = (method: 'POST' | 'PATCH', body: object = {}) => ({
  method,
  headers: OUR_PAGES,
  payload: JSON.stringify(body),
})

export const accountAddedClauses: readonly Clause[] = [
  clause('added', 'A key can be changed and gets another secret, until it is revoked.', [
    served('key maker', KEYS, async (_, scene) => {
      const { body: made } = await scene.ask('key maker', KEYS, sent('POST', { label: 'to be changed' }))
      const { body: changed } = await scene.ask('key maker', `${KEYS}/${made.id}`, sent('PATCH', { label: 'bot' }))
      const { body: rotated } = await scene.ask('key maker', `${KEYS}/${made.id}/rotate`, sent('POST'))
      assert.deepEqual([changed.id, changed.label, rotated.id], [made.id, 'bot', made.id])
      assert.notEqual(rotated.key, made.key)
      const { 'content-type': _type, ...headers } = OUR_PAGES
      await scene.ask('key maker', `${KEYS}/${made.id}`, { method: 'DELETE', headers })
    }),
    refused('member', `${KEYS}/${UNKNOWN}`, [404, 'key_not_found'], explains(/key/), sent('PATCH', { label: 'x' })),
    refused('member', `${KEYS}/${UNKNOWN}/rotate`, [404, 'key_not_found'], explains(/key/), sent('POST')),
  ]),
  clause('added', 'A public sample that does not exist is 404.', [
    ...['', '/heatmap?side=DOWN', '/file'].map((rest) =>
      refused('nobody', `/v1/samples/none${rest}`, [404, 'sample_not_found'], explains(/sample/)),
    ),
  ]),
]
