import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const zlib = vi.hoisted(() => ({ count: 0 }))
vi.mock('node:zlib', async (original) => {
  const real = await original<typeof import('node:zlib')>()
  const counted = ((...given: Parameters<typeof real.brotliCompress>) => {
    zlib.count++
    return real.brotliCompress(...given)
  }) as typeof real.brotliCompress
  return { ...real, brotliCompress: counted }
})
const { addStaticFile } = await import('./static-file.ts')

const CONTENT = 'the same line of a script\n'.repeat(1_000)
let app: FastifyInstance
beforeAll(async () => {
  app = fastify()
  await app.register(compress, { threshold: 1_024 })
  addStaticFile(app, '/script.js', { content: CONTENT, type: 'text/javascript', cacheControl: 'public, max-age=60' })
  addStaticFile(app, '/small.js', { content: 'small', type: 'text/javascript', cacheControl: 'no-store' })
})
afterAll(() => app.close())

const get = (acceptEncoding: string | undefined, headers: Record<string, string> = {}, url = '/script.js') =>
  app.inject({
    url,
    headers: { ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }), ...headers },
  })

test('a file is compressed once, however often it is requested', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => get('gzip, br')))
  for (const { rawPayload, headers } of answers) {
    expect(headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(rawPayload).toString()).toBe(CONTENT)
  }
  expect(zlib.count).toBe(1)
})

test('gzip and plain bytes are served to those who ask for them, and small files are not compressed', async () => {
  const gzipped = await get('gzip, br;q=0')
  expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(gunzipSync(gzipped.rawPayload).toString()).toBe(CONTENT)
  for (const plain of [await get(undefined), await get('identity')]) {
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body).toBe(CONTENT)
  }
  expect((await get('br', {}, '/small.js')).body).toBe('small')
})

test('a client that has the file gets no bytes', async () => {
  const { headers } = await get('br')
  const again = await get('br', { 'if-none-match': `"other", ${headers.etag}` })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  expect((await get('gzip', { 'if-none-match': String(headers.etag) })).statusCode).toBe(200)
})
