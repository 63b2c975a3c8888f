import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bookreel, verifyFile, verifyManifests } from '@bookreel/sdk'
import { rewriteHistory } from '@bookreel/testbed/service/rewrite-history'
import { addFile, newSigner, sealAll } from '@bookreel/testbed/service/signed-files'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manifestHash, manifestText } from '../../service/src/domain/manifest.ts'
import { Manifests } from '../../service/src/stores/files/manifests.ts'
import { CliScene } from './cli-scene.ts'

const { signer } = newSigner()
const CONTENTS = ['one', 'two', 'three', 'four', 'five']
let scene: CliScene

beforeAll(async () => {
  scene = await CliScene.open({})
  const { database } = scene.service.access
  mkdirSync(join(scene.folder, 'days'))
  await database.transaction().execute(async (one) => {
    for (const content of CONTENTS) {
      const id = await addFile(one, Buffer.from(content), { subject: content })
      writeFileSync(pathOf(content), content)
      expect(id).toBe(`${content}-2026-11-01-r1`)
    }
  })
  await sealAll(database, signer)
  await addFile(database, Buffer.from('six'), { subject: 'six' })
  writeFileSync(pathOf('six'), 'six')
  await sealAll(database, signer)
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

function pathOf(name: string): string {
  return join(scene.folder, 'days', `${name}-2026-11-01-r1.parquet`)
}

function verify(...args: string[]) {
  return scene.run(['verify', ...args])
}

function rewrite(statement: string): Promise<void> {
  return rewriteHistory(scene.service.stack, statement)
}

test('files of the chain are verified without a key, also at the second check', async () => {
  const files = [...CONTENTS, 'six'].map(pathOf)
  for (const _check of [1, 2]) {
    const { code, stdout, stderr } = await verify(...files)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^2 manifests up to .*: signed, unchanged and complete\.\n/)
    for (const file of files) expect(stdout).toContain(`${file}: ok`)
  }
  const known = readFileSync(join(scene.folder, '.config/bookreel', `manifests-${hostOf(scene.url)}.json`), 'utf8')
  expect(JSON.parse(known)).toMatchObject({
    keys: [signer.publicKey],
    hashes: [expect.any(String), expect.any(String)],
  })
})

function hostOf(url: string): string {
  return new URL(url).host.replace(':', '_')
}

test('a changed byte is reported', async () => {
  writeFileSync(pathOf('two'), 'twO')
  const { code, stdout, stderr } = await verify(pathOf('one'), pathOf('two'))
  writeFileSync(pathOf('two'), 'two')
  expect(code).toBe(1)
  expect(stdout).toContain(`${pathOf('one')}: ok`)
  expect(stdout).toMatch(/two-.*: changed_file: Its SHA-256 is .* was signed: bytes were changed.*Download it again/)
  expect(stderr).toContain('1 problem found')
})

test('a missing file is reported: one that is not on disk, and one that the service does not have', async () => {
  rmSync(pathOf('three'))
  writeFileSync(pathOf('seven'), 'seven')
  const { code, stdout } = await verify('--json', pathOf('three'), pathOf('seven'))
  writeFileSync(pathOf('three'), 'three')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    entries: 2,
    problems: [],
    files: [
      { problem: { code: 'missing_file', message: expect.stringMatching(/no such file/) } },
      { problem: { code: 'missing_file', message: expect.stringMatching(/service has no file seven-/) } },
    ],
  })
})

test('a file that is not signed yet is reported', async () => {
  await addFile(scene.service.access.database, Buffer.from('late'), { subject: 'late' })
  writeFileSync(pathOf('late'), 'late')
  expect((await verify(pathOf('late'))).stdout).toMatch(/late-.*: not_signed_yet: .*Try again in an hour/)
})

test('a rewritten hour is reported, also when it has a valid signature', async () => {
  const manifests = new Manifests(scene.service.access.database)
  const [first, second] = await manifests.list({ after: 0, limit: 2 })
  if (first === undefined || second === undefined) throw new Error('there are two entries')
  const forged = { ...second, root: 'a'.repeat(64) }
  const signature = signer.sign(manifestText(forged))
  await rewrite(`UPDATE manifests SET root = '${forged.root}', hash = '${manifestHash(forged)}',
    signature = '${signature}' WHERE number = 2`)
  const changed = await verify(pathOf('six'))
  await rewrite(`UPDATE manifests SET root = '${second.root}', hash = '${second.hash}',
    signature = '${second.signature}' WHERE number = 2`)
  expect(changed.code).toBe(1)
  expect(changed.stdout).toMatch(/^rewritten_hour: Entry 2 .* is not the one that was seen before/m)
  expect(changed.stdout).toMatch(/six-.*: rewritten_hour/)

  // An entry was changed, and nobody has seen the chain before.
  const elsewhere = join(scene.folder, 'elsewhere.json')
  await rewrite(`UPDATE manifests SET file_count = 4 WHERE number = 1`)
  const broken = await verify('--known', elsewhere)
  await rewrite(`UPDATE manifests SET file_count = 5 WHERE number = 1`)
  expect(broken.stdout).toMatch(/^rewritten_hour: Entry 1 .* does not follow/m)
  expect((await verify(pathOf('six'))).code).toBe(0)
})

test('entries that are gone are reported', async () => {
  const known = join(scene.folder, 'longer.json')
  expect((await verify('--known', known)).code).toBe(0)
  const { keys, hashes } = JSON.parse(readFileSync(known, 'utf8'))
  writeFileSync(known, JSON.stringify({ keys, hashes: [...hashes, 'f'.repeat(64)] }))
  const { code, stdout } = await verify('--known', known)
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/rewritten_hour: Entries 3 to 3 were seen before and are gone/),
  ])
})

test('a forged root is reported: no signature of the key that is trusted', async () => {
  const [, second] = await new Manifests(scene.service.access.database).list({ after: 0, limit: 2 })
  if (second === undefined) throw new Error('there are two entries')
  const other = newSigner().signer
  const pinned = ['--known', join(scene.folder, 'pinned.json'), '--public-key', signer.publicKey]
  await rewrite(`UPDATE manifests SET signature = '${other.sign(manifestText(second))}' WHERE number = 2`)
  const { code, stdout } = await verify(...pinned, pathOf('one'), pathOf('six'))
  await rewrite(`UPDATE manifests SET signature = '${second.signature}' WHERE number = 2`)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^forged_root: Entry 2 .* has no valid signature of a trusted key/m)
  expect(stdout).toMatch(/one-.*: ok/)
  expect(stdout).toMatch(/six-.*: forged_root/)
  expect((await verify('--known', join(scene.folder, 'x.json'), '--public-key', other.publicKey)).stdout).toMatch(
    /forged_root: Entry 1/,
  )
})

test('a proof that does not lead to the signed root is reported', async () => {
  await rewrite(`UPDATE files SET sha256 = encode(sha256('twO'), 'hex') WHERE subject = 'two'`)
  writeFileSync(pathOf('two'), 'twO')
  const { stdout } = await verify(pathOf('two'))
  await rewrite(`UPDATE files SET sha256 = encode(sha256('two'), 'hex') WHERE subject = 'two'`)
  writeFileSync(pathOf('two'), 'two')
  expect(stdout).toMatch(/two-.*: forged_root: The proof of two-.* does not lead to the signed root/)
})

test('a file of known entries that something else wrote is refused', async () => {
  const known = join(scene.folder, 'broken.json')
  writeFileSync(known, '{')
  const { code, stderr } = await verify('--known', known)
  expect([code, stderr]).toEqual([2, expect.stringMatching(/was not written by this command/)])
})

test('an hour that is signed after the chain was read is not called forged', async () => {
  const { database } = scene.service.access
  const { files } = new Bookreel({ baseUrl: scene.url })
  const chain = await verifyManifests(files)
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
