import { writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayText } from '../../src/domain/day-file.ts'
import { objectKeyOf, type StoredFile } from '../../src/stores/files/files.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { DAY, FilesScene, rowsOf, windowsOf } from './files-scene.ts'

const ID = `polymarket-btc-5m-${dayText(DAY)}-r1`
/** More than a connection buffers. */
const LARGE = 64 * 1024 * 1024
let scene: FilesScene
let file: StoredFile

beforeAll(async () => {
  scene = await FilesScene.open()
  const windows = windowsOf(2)
  await scene.store(
    windows,
    windows.flatMap((market) => rowsOf(market)),
  )
  await makeDueFiles(scene.deps(), new AbortController().signal)
  const found = await scene.service.stores.files.find(ID)
  if (found === undefined) throw new Error('the file was not made')
  file = found
}, 360_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

describe('an object that does not have the bytes of the file', () => {
  test.each([
    ['fewer', -1],
    ['more', 1],
  ])('%s: no client takes it for the file, and it is counted', async (_case, difference) => {
    const server = await scene.service.newServer()
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    const path = join(scene.folder, 'objects', objectKeyOf(file))
    const bytes = await scene.objects.get(objectKeyOf(file))
    await writeFile(path, Buffer.concat([bytes, Buffer.alloc(8)]).subarray(0, bytes.length + difference))
    const { key } = await scene.service.newAccount('scale', { credits: 100 })
    const download = async () => {
      const answer = await fetch(`${address}/v1/files/${ID}`, { headers: { 'x-api-key': key } })
      if (!answer.ok) throw new Error(`status ${answer.status}`)
      return (await answer.arrayBuffer()).byteLength
    }
    const before = await brokenFiles()
    await expect(download()).rejects.toThrow()
    // Counted when the connection has ended, which the client may see first.
    await expect.poll(brokenFiles).toBe(before + 1)
    await writeFile(path, bytes)
    expect(await download()).toBe(bytes.length)
    await server.close()
  })

  test.each([
    ['fewer', LARGE - 1024 * 1024],
    ['more', LARGE + 1024 * 1024],
  ])('%s of a large file: the connection ends before the announced length', async (_case, sent) => {
    const server = await serverOfLargeFile(sent)
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    const { key } = await scene.service.newAccount('scale', { credits: 100 })
    const before = await brokenFiles()
    const answer = await fetch(`${address}/v1/files/${ID}`, { headers: { 'x-api-key': key } })
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(LARGE)])
    const length = answer.arrayBuffer().then(({ byteLength }) => byteLength)
    await expect(length).rejects.toThrow('terminated')
    // Counted when the connection has ended, which the client may see first.
    await expect.poll(brokenFiles).toBe(before + 1)
    await server.close()
  })
})

async function brokenFiles(): Promise<number> {
  const metric = await scene.service.registry.getSingleMetric('api_broken_files_total')?.get()
  return metric?.values[0]?.value ?? 0
}

/** A server whose file has LARGE bytes; its object storage sends as many as given. */
function serverOfLargeFile(sent: number) {
  const { stores } = scene.service
  const largeStores = {
    ...stores,
    files: Object.assign(Object.create(stores.files), { find: async () => ({ ...file, bytes: LARGE }) }),
    fileObjects: { ...stores.fileObjects, open: async () => Readable.from(zeros(sent)) },
  }
  return scene.service.newServer({ pipeline: { stores: largeStores } })
}

test('an account downloads four files at once; a reader that is slow keeps its place until it has ended', async () => {
  const server = await serverOfLargeFile(LARGE)
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const { key } = await scene.service.newAccount('scale', { credits: 100 })
  const start = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(`${address}/v1/files/${ID}`, { headers: { 'x-api-key': key }, agent: false }, resolve).on('error', reject)
    })
  const slow: IncomingMessage[] = []
  for (let count = 0; count < 4; count++) slow.push(await start())
  expect(slow.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  const fifth = await start()
  expect(fifth.statusCode).toBe(503)
  fifth.resume()
  slow[0]?.destroy()
  const next = await start()
  expect(next.statusCode).toBe(200)
  for (const answer of [...slow, next]) answer.destroy()
  await server.close()
})

function* zeros(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece
}
