import { Readable, Writable } from 'node:stream'
import { TestService } from '@bookreel/testbed/service/test-service'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../src/endpoints/endpoint.ts'

const SECRET = 'br_live_of-somebody'

let service: TestService
beforeAll(async () => {
  service = await TestService.start()
}, 360_000)
afterAll(() => service?.[Symbol.asyncDispose]())

const common = {
  method: 'GET',
  group: 'Public',
  summary: 'Fail',
  access: 'public',
  params: z.object({ secret: z.string() }),
  query: z.object({ q: z.string().optional() }),
  reply: z.object({}),
  errors: [],
} as const

const failing = endpoint({
  ...common,
  path: '/v1/failing/{secret}',
  name: 'failing',
  async handle() {
    throw new Error('broken')
  },
})

const shortFile = endpoint({
  ...common,
  path: '/v1/short-file/{secret}',
  name: 'short_file',
  async file() {
    const open = async (): Promise<Readable> => Readable.from([Buffer.from('too short')])
    const file = { name: 'f', type: 'text/plain', sha256: 'a', revision: 1, bytes: 100, open }
    return { file, heldAs: 'f' }
  },
  async handle() {
    return { body: {} }
  },
})

test('failures are logged with the template of the path, never with what callers put into it', async () => {
  let logged = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk)
      done()
    },
  })
  await using server = await service.newServer({ log: pino(stream), endpoints: [failing, shortFile] })
  for (const name of ['failing', 'short-file'])
    await server.inject({ url: `/v1/${name}/${SECRET}?q=${SECRET}` }).catch(() => {})
  await vi.waitFor(() => expect(logged).toContain('answer broken off'), { timeout: 120_000 })
  const lines = logged
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ path }) => path)).toEqual(['/v1/failing/:secret', '/v1/short-file/:secret'])
  expect(logged).not.toContain(SECRET)
})
