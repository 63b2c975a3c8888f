import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readBody } from './read-body.ts'

const MAX_BYTES = 100

/** What a server reads of a POST: the text, or the code of its refusal. */
async function read(headers: Record<string, string>, body: string): Promise<string | undefined> {
  const server = createServer((incoming, answer) => {
    readBody(incoming, MAX_BYTES).then(
      (text) => answer.end(text),
      ({ code }: { code: string }) => answer.setHeader('connection', 'close').end(code),
    )
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false })
  sent.on('error', () => {})
  sent.end(body)
  const [answer] = await once(sent, 'response')
  let text = ''
  for await (const piece of answer) text += String(piece)
  return text
}

test('JSON is read, also with a character set', async () => {
  for (const type of ['application/json', 'Application/JSON', 'application/json; charset=utf-8'])
    expect(await read({ 'content-type': type }, '{"a":1}'), type).toBe('{"a":1}')
})

test.each([
  '',
  'text/plain',
  'application/jsonp',
  'application/json-patch+json',
  'application/x-www-form-urlencoded',
  'text/plain; application/json',
  'application/json,text/plain',
  'application/json\ta',
  'multipart/form-data; boundary=application/json',
])('a body of any type but JSON is refused: %j', async (type) => {
  expect(await read({ 'content-type': type }, '{}')).toBe('unsupported_media_type')
})

test('a body above the limit is refused, with and without its length', async () => {
  const long = JSON.stringify('x'.repeat(MAX_BYTES))
  const type = { 'content-type': 'application/json' }
  expect(await read({ ...type, 'content-length': String(long.length) }, long)).toBe('payload_too_large')
  expect(await read({ ...type, 'transfer-encoding': 'chunked' }, long)).toBe('payload_too_large')
})
