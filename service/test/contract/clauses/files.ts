import assert from 'node:assert/strict'
import { explains } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const UNKNOWN = [404, 'file_not_found'] as const
const DAY = 'from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z'

function idsIn(body: { readonly files: readonly { readonly id: string }[] }): string[] {
  return body.files.map(({ id }) => id)
}

/** Files of days, and the manifests that sign them. */
export const fileClauses: readonly Clause[] = [
  clause('added', 'The newest revision of each file is listed, with price and hash; filters select.', [
    served(
      'free',
      `/v1/files?coin=BTC&timeframe=5m&market={file.market}&venue=polymarket&limit=5&${DAY}`,
      ({ body, headers }, scene) => {
        assert.deepEqual(idsIn(body), [scene.value('file')])
        assert.deepEqual([body.files[0].credits, headers['x-credits-cost']], [1, '0'])
      },
    ),
    served('free', '/v1/files?all_revisions=true&limit=1', async ({ body }, scene) => {
      const { body: next } = await scene.ask('free', `/v1/files?all_revisions=true&limit=1&cursor=${body.next_cursor}`)
      assert.deepEqual([...idsIn(body), ...idsIn(next)], [scene.value('file'), scene.value('file.former')])
    }),
    served('free', '/v1/files?coin=ETH', ({ body, headers }) => {
      assert.deepEqual(body, { files: [], next_cursor: null })
      assert.equal(headers['x-empty-reason'], 'no_match')
    }),
    served('free', '/v1/files?kind=series&limit=50', ({ body }) => {
      const kinds = new Set(body.files.map(({ kind }: { kind: string }) => kind))
      assert.deepEqual([...kinds], ['series'])
    }),
  ]),
  clause('added', 'The entry of a file is free for every tier; the file needs the scale or enterprise tier.', [
    served('free', '/v1/files/{file}?part=about', ({ body }, scene) => assert.equal(body.id, scene.value('file'))),
    refused('pro', '/v1/files/{file}', [403, 'tier_not_allowed'], explains(/tier/)),
    refused('scale', '/v1/files/nothing', UNKNOWN, explains(/v1\/files/)),
    refused('free', '/v1/files/nothing?part=about', UNKNOWN, explains(/v1\/files/)),
  ]),
  clause('added', 'Everybody gets the proof that a file belongs to a signed manifest.', [
    served('nobody', '/v1/files/{file}/proof', ({ body }, scene) => {
      assert.equal(body.id, scene.value('file'))
      assert.deepEqual([body.manifest.number, body.manifest.files, body.path.length], [1, 2, 1])
    }),
    refused('nobody', '/v1/files/nothing/proof', UNKNOWN, explains(/v1\/files/)),
  ]),
  clause('added', 'Everybody reads the signed manifests, the oldest first.', [
    served('nobody', '/v1/manifests?limit=1', ({ body }) => {
      assert.equal(body.manifests[0].previous, '0'.repeat(64))
      assert.equal(body.keys[0].id, body.manifests[0].key_id)
    }),
    served('nobody', '/v1/manifests?after=2', ({ body, headers }) => {
      assert.deepEqual(body.manifests, [])
      assert.equal(headers['x-empty-reason'], 'no_match')
    }),
  ]),
]
