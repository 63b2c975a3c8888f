import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addConsole } from './add-console.ts'
import { type ConsoleFiles, readConsole } from './console-files.ts'

let folder: string
let app: FastifyInstance

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookreel-console-files-'))
  mkdirSync(join(folder, 'assets'))
  mkdirSync(join(folder, '.vite'))
  const files = {
    'index.html': '<!doctype html>',
    'index.html.br': 'page as br',
    'assets/main-12345678.js': 'plain',
    'assets/main-12345678.js.br': 'as br',
    'assets/main-12345678.js.gz': 'as gzip',
    'assets/notes.txt': 'not sent',
    '.vite/manifest.json': '{}',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  app = serverWith(readConsole(folder))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

function serverWith(files: ConsoleFiles | undefined, streamUrl?: string): FastifyInstance {
  const server = fastify()
  server.setNotFoundHandler((_request, reply) => reply.status(404).send({ error: 'not_found' }))
  addConsole(server, { files, streamUrl })
  return server
}

test('every page of the console is the same HTML, which is never cached and allows nothing inline', async () => {
  for (const url of ['/app', '/app/', '/app/keys', '/app/billing/some-id', '/app/usage?days=7', '/app/apis']) {
    const { statusCode, body, headers } = await app.inject(url)
    expect([statusCode, body], url).toEqual([200, '<!doctype html>'])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    })
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types bookreel-worker',
      ]),
    )
    expect(policy.join()).not.toContain('unsafe')
  }
})

test('pages may open streams on this host, and on the host of PUBLIC_STREAM_URL', async () => {
  const elsewhere = serverWith(readConsole(folder), 'wss://stream.example.com/v1/stream')
  const policies = await Promise.all([app, elsewhere].map(async (each) => (await each.inject('/app')).headers))
  expect(policies.map((headers) => /connect-src [^;]*/.exec(String(headers['content-security-policy']))?.[0])).toEqual([
    "connect-src 'self'",
    "connect-src 'self' wss://stream.example.com",
  ])
  await elsewhere.close()
})

test('files with a hash in their name are cached for a year, with the policy of the pages, in the best version', async () => {
  const versions = { br: 'as br', gzip: 'as gzip', identity: 'plain' }
  const accepted = { 'gzip, deflate, br': 'br', gzip: 'gzip', 'br;q=0, gzip': 'gzip', '': 'identity' } as const
  for (const [header, encoding] of Object.entries(accepted)) {
    const answer = await app.inject({ url: '/app/assets/main-12345678.js', headers: { 'accept-encoding': header } })
    expect(answer.body, header).toBe(versions[encoding])
    expect(answer.headers['content-encoding'], header).toBe(encoding === 'identity' ? undefined : encoding)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
  }
  const { headers: ofWorker } = await app.inject('/app/assets/main-12345678.js')
  expect(ofWorker['content-security-policy']).toContain("connect-src 'self'")
  const page = await app.inject({ url: '/app', headers: { 'accept-encoding': 'gzip' } })
  expect([page.body, page.headers['content-encoding']]).toEqual(['<!doctype html>', undefined])
})

test('unknown files, files outside of the build and unknown paths of the API are errors, not pages', async () => {
  const paths = ['/app/assets/gone-12345678.js', '/app/assets/notes.txt', '/app/api', '/app/api/v1/nothing']
  for (const url of paths) expect((await app.inject(url)).statusCode, url).toBe(404)
  expect((await app.inject('/app/.vite/manifest.json')).body).toBe('<!doctype html>')
})

test('with a console / and the former account page lead to it', async () => {
  const [start, account] = [await app.inject('/'), await app.inject('/account')]
  expect([start.statusCode, start.headers.location]).toEqual([302, '/app'])
  expect([account.statusCode, account.headers.location]).toEqual([301, '/app/account'])
})

test('without a console /app says what to do, and / leads to the reference', async () => {
  const bare = serverWith(undefined)
  for (const url of ['/app', '/app/keys']) {
    const { statusCode, body, headers } = await bare.inject(url)
    expect(statusCode).toBe(404)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(body).toMatch(/No console is installed.*npm run build:console.*CONSOLE_DIR/s)
  }
  expect((await bare.inject('/')).headers.location).toBe('/docs/')
  expect((await bare.inject('/app/api/v1/usage')).json()).toEqual({ error: 'not_found' })
  await bare.close()
})

test('a folder without a built console is refused at start, with what to do', () => {
  expect(() => readConsole(join(folder, 'assets'))).toThrow(/CONSOLE_DIR is .* no index.html.*npm run build:console/)
  expect(() => readConsole(join(folder, 'missing'))).toThrow(/CONSOLE_DIR is .* cannot be read/)
})
