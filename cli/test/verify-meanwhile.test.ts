import { createHash } from 'node:crypto'
import { Bookreel, verifyFile, verifyManifests } from '@bookreel/sdk'
import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliScene } from './cli-scene.ts'

const { signer } = newSigner()
let scene: CliScene

beforeAll(async () => {
  scene = await CliScene.open({})
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

test('an hour that is signed after the chain was read is not called forged', async () => {
  const { database } = scene.service.access
  const { files } = new Bookreel({ baseUrl: scene.url })
  await addFile(database, Buffer.from('before'), { subject: 'before' })
  await sealAll(database, signer)
  const chain = await verifyManifests(files)
  expect(chain.entries).toHaveLength(1)
  const id = await addFile(database, Buffer.from('meanwhile'), { subject: 'meanwhile' })
  await sealAll(database, signer)
  const sha256 = createHash('sha256').update('meanwhile').digest('hex')
  expect(await verifyFile(files, { id, sha256 }, chain)).toBeUndefined()
  expect(await verifyFile(files, { id, sha256: 'f'.repeat(64) }, chain)).toMatchObject({ code: 'changed_file' })
})

test('an hour that was signed meanwhile with a key that nobody trusts is still forged', async () => {
  const { database } = scene.service.access
  const { files } = new Bookreel({ baseUrl: scene.url })
  const chain = await verifyManifests(files)
  const id = await addFile(database, Buffer.from('forged'), { subject: 'forged' })
  await sealAll(database, newSigner().signer)
  const sha256 = createHash('sha256').update('forged').digest('hex')
  expect(await verifyFile(files, { id, sha256 }, chain)).toMatchObject({ code: 'forged_root' })
})
