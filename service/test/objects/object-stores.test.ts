import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { openObjectStore } from '../../src/objects/open-object-store.ts'
import { S3Server } from './s3-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'bookreel-objects-'))
const server = new S3Server('recordings')
beforeAll(() => server.start())
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function batchesOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

async function openFolder(): Promise<ObjectStore> {
  const opened = await openObjectStore({
    OBJECT_STORE_URL: pathToFileURL(folder).href,
    OBJECT_STORE_REGION: 'us-east-1',
  })
  if (opened === undefined) throw new Error('OBJECT_STORE_URL is set')
  return opened
}

describe.each([
  ['S3', () => server.open()],
  ['a folder', openFolder],
])('%s', (_, openStore) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.close())

  const keysUnder = async (prefix: string): Promise<string[]> =>
    (await Array.fromAsync(store.list(prefix))).map(({ key }) => key)

  test('returns the bytes that were put, whole and as a stream, until they are replaced or deleted', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_each, index) => index % 251))
    await store.put('bytes/one.bin', bytes)
    expect((await store.get('bytes/one.bin')).equals(bytes)).toBe(true)
    const part = await store.get('bytes/one.bin', { start: 100_000, end: 100_010 })
    expect(part.equals(bytes.subarray(100_000, 100_010))).toBe(true)
    expect((await buffer(await store.stream('bytes/one.bin'))).equals(bytes)).toBe(true)
    expect(await store.head('bytes/one.bin')).toMatchObject({ key: 'bytes/one.bin', bytes: 300_000 })
    await store.put('bytes/one.bin', Buffer.from('new'))
    expect((await store.get('bytes/one.bin')).toString()).toBe('new')
    await store.delete('bytes/one.bin')
    await store.delete('bytes/one.bin')
    expect(await store.head('bytes/one.bin')).toBeUndefined()
    await expect(store.get('bytes/one.bin')).rejects.toMatchObject({ problem: 'no_such_object' })
    await expect(store.stream('bytes/one.bin')).rejects.toMatchObject({ problem: 'no_such_object' })
  })

  test('stores a file and returns a part of it as a stream', async () => {
    const path = join(folder, 'local-file')
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_each, index) => index % 241))
    writeFileSync(path, bytes)
    await store.putFile('files/one.bin', path)
    expect((await store.get('files/one.bin')).equals(bytes)).toBe(true)
    const part = await buffer(await store.stream('files/one.bin', { start: 70_000, end: 70_005 }))
    expect(part.equals(bytes.subarray(70_000, 70_005))).toBe(true)
    await expect(store.putFile('files/two.bin', join(folder, 'nothing'))).rejects.toThrow()
    expect(await store.head('files/two.bin')).toBeUndefined()
  })

  test('lists more keys than one page has, sorted, and only those with the prefix', async () => {
    const keys = Array.from({ length: 1_050 }, (_each, index) => `many/${String(index).padStart(4, '0')}`)
    const other = ['listed/a', 'listed/b/c', 'listed/d', 'listing']
    for (const batch of batchesOf([...keys.toReversed(), ...other], 50))
      await Promise.all(batch.map((key) => store.put(key, Buffer.from('x'))))
    expect(await keysUnder('many/')).toEqual(keys)
    expect(await keysUnder('many/00')).toEqual(keys.slice(0, 100))
    expect(await keysUnder('list')).toEqual(other)
    expect(await keysUnder('nothing')).toEqual([])
  })

  test('an empty object is an object', async () => {
    await store.put('empty', Buffer.alloc(0))
    expect(await store.head('empty')).toMatchObject({ bytes: 0 })
    expect(await store.get('empty')).toHaveLength(0)
  })

  test.each(['../outside', 'a/../../b', '/root', 'a//b', '', 'a b', 'a\0'])('%j is not a key', async (key) => {
    await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('is not an object key')
    await expect(store.get(key)).rejects.toThrow('is not an object key')
  })
})

test('a folder lists keys in the order of S3, in which "/" comes after "." and before "0"', async () => {
  const store = await openFolder()
  const keys = ['sorted/a-b', 'sorted/a.b', 'sorted/a/b', 'sorted/a0']
  for (const key of keys.toReversed()) await store.put(key, Buffer.from('x'))
  expect((await Array.fromAsync(store.list('sorted/'))).map(({ key }) => key)).toEqual(keys)
})

test('a folder that can not be written: nothing remains of the object', async () => {
  const store = await openFolder()
  await store.put('file', Buffer.from('x'))
  await expect(store.put('file/below', Buffer.from('x'))).rejects.toMatchObject({ name: 'ObjectStoreError' })
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  expect(existsSync(join(folder, 'file', 'below'))).toBe(false)
})

test.each([
  ['the bucket does not exist', { bucket: 'nowhere' }, 'no_such_bucket', /bucket nowhere does not exist.*Create it/],
  ['the key is wrong', { keyId: 'wrong' }, 'access_denied', /refused the access keys.*OBJECT_STORE_SECRET/],
  ['nobody listens', { endpoint: 'http://127.0.0.1:1' }, 'unreachable', /does not answer.*OBJECT_STORE_ENDPOINT/],
])('%s: the message says what to do', async (_, changes, problem, message) => {
  const store = await server.open(changes)
  await expect(store.put('some/key', Buffer.from('x'))).rejects.toMatchObject({
    problem,
    message: expect.stringMatching(message),
  })
  store.close()
})
