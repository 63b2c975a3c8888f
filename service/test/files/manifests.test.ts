import { verify } from 'node:crypto'
import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS } from '../../src/domain/finished-hour.ts'
import { manifestText, NO_ENTRY } from '../../src/domain/manifest.ts'
import { Manifests } from '../../src/stores/files/manifests.ts'
import { openSigner } from '../../src/wiring/open-signer.ts'
import { sealManifests } from '../../src/workers/seal-manifests.ts'

const { signer } = newSigner()
let service: TestService

beforeAll(async () => {
  service = await TestService.start()
}, 360_000)
afterAll(() => service?.[Symbol.asyncDispose]())

const database = () => service.access.database

test('the files of an ended hour get one signed entry, which follows the one before', async () => {
  await database()
    .transaction()
    .execute(async (one) => {
      for (const name of ['c', 'a', 'b']) await addFile(one, Buffer.from(name), { subject: name })
    })
  const { made_at } = await database().selectFrom('files').select('made_at').limit(1).executeTakeFirstOrThrow()
  const manifests = new Manifests(database())
  const sealed: number[] = []
  const deps = { manifests, signer, onSealed: ({ files }: { files: number }) => sealed.push(files) }
  const { signal } = new AbortController()
  await sealManifests({ ...deps, nowMs: () => made_at.getTime() }, signal)
  expect(sealed).toEqual([])
  await sealManifests({ ...deps, nowMs: () => made_at.getTime() + HOUR_MS }, signal)
  expect(sealed).toEqual([3])
  await addFile(database(), Buffer.from('a, corrected'), { subject: 'a', revision: 2 })
  await sealAll(database(), signer)
  await sealAll(database(), signer)

  const [first, second, ...rest] = await manifests.list({ after: 0, limit: 10 })
  expect(rest).toEqual([])
  expect(first).toMatchObject({ number: 1, files: 3, previous: NO_ENTRY, keyId: signer.keyId })
  expect(second).toMatchObject({ number: 2, files: 1, previous: first?.hash })
  const key = { key: { kty: 'OKP', crv: 'Ed25519', x: signer.publicKey }, format: 'jwk' } as const
  for (const entry of [first, second]) {
    if (entry === undefined) throw new Error('there are two entries')
    expect(verify(null, Buffer.from(manifestText(entry)), key, Buffer.from(entry.signature, 'base64url'))).toBe(true)
  }
})

test.each([
  `UPDATE manifests SET root = repeat('0', 64)`,
  'DELETE FROM manifests WHERE number = 2',
  'TRUNCATE manifests CASCADE',
  'UPDATE manifest_files SET leaf_index = leaf_index + 100',
  'DELETE FROM manifest_files',
  `UPDATE manifest_keys SET public_key = ''`,
])('the database refuses: %s', async (statement) => {
  await expect(sql.raw(statement).execute(database())).rejects.toThrow(/never change/)
})

test.each([
  ['an entry that leaves one out', 4, 'last.hash'],
  ['an entry that does not name the one before', 3, `repeat('1', 64)`],
])('the database refuses %s', async (_case, number, previous) => {
  const statement = `INSERT INTO manifests (number, hour_at, file_count, root, previous, hash, key_id, signature)
    SELECT ${number}, now(), 1, root, ${previous}, repeat('2', 64), key_id, '' FROM manifests AS last WHERE number = 2`
  await expect(sql.raw(statement).execute(database())).rejects.toThrow('an entry follows the last one')
})

test('everybody reads the chain, page by page, with the public keys', async () => {
  const { status, body } = await service.ask('/v1/manifests?limit=1')
  expect(status).toBe(200)
  expect(body.keys).toEqual([{ id: signer.keyId, algorithm: 'Ed25519', public_key: signer.publicKey }])
  expect(body.manifests).toMatchObject([{ number: 1, files: 3, previous: NO_ENTRY }])
  const next = await service.ask(`/v1/manifests?limit=1&cursor=${body.next_cursor}`)
  expect(next.body).toMatchObject({ manifests: [{ number: 2 }], next_cursor: null })
  expect((await service.ask('/v1/manifests?after=1')).body.manifests).toMatchObject([{ number: 2 }])
  expect((await service.ask('/v1/manifests?cursor=x')).body.error).toBe('invalid_request')
})

test('everybody reads the proof of a file; one that is not signed yet has none', async () => {
  const { body } = await service.ask('/v1/files/b-2026-11-01-r1/proof')
  expect(body).toMatchObject({ id: 'b-2026-11-01-r1', leaf_index: 1, manifest: { number: 1 }, rows: 10 })
  expect(body.path.length).toBe(2)
  const id = await addFile(database(), Buffer.from('new'), { subject: 'new' })
  expect((await service.ask(`/v1/files/${id}/proof`)).body).toMatchObject({
    id,
    leaf_index: null,
    path: null,
    manifest: null,
  })
  const unknown = await service.ask('/v1/files/nothing/proof')
  expect([unknown.status, unknown.body.error]).toEqual([404, 'file_not_found'])
})

test('many who want proofs of one hour share one tree', async () => {
  let trees = 0
  const counting = {
    transformQuery: ({ node }: { node: never }) => node,
    transformResult: async ({ result }: { result: { rows: readonly unknown[] } }) => {
      if (Object.keys(result.rows[0] ?? {}).join() === 'leaf') trees++
      return result
    },
  }
  const manifests = new Manifests(database().withPlugin(counting as never))
  const proofs = await Promise.all(Array.from({ length: 50 }, () => manifests.proofOf('b-2026-11-01-r1')))
  expect(new Set(proofs.map((proof) => proof?.manifest.number))).toEqual(new Set([1]))
  expect(trees).toBe(1)
})

test('a key that can not sign is refused with what to do', () => {
  expect(() => openSigner('no key')).toThrow(/not a private key.*openssl genpkey/)
  expect(openSigner(undefined)).toBeUndefined()
})
