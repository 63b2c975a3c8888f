import { once } from 'node:events'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { RunningProxy } from './running-proxy.ts'
import { type RunningApi, startApi } from './running-role.ts'

let service: TestService
let api: RunningApi
let proxy: RunningProxy
let key: string

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  api = await startApi(service, {
    TRUSTED_PROXIES: '127.0.0.1',
    PUBLIC_URL: 'https://localhost',
    ANONYMOUS_RPM: '20',
  })
  proxy = await RunningProxy.start(new URL(api.url).host)
}, 360_000)

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await api?.stop()
  await service?.[Symbol.asyncDispose]()
})

test('requests pass over HTTP/1.1 and HTTP/2 with TLS', async () => {
  expect((await proxy.ask('/v1/limits', { headers: { 'x-api-key': key } })).status).toBe(200)
  const session = connect(`https://localhost:${proxy.httpsPort}`, { ca: proxy.ca })
  const asked = session.request({ ':path': '/v1/limits', 'x-api-key': key })
  const [headers] = await once(asked, 'response')
  expect(headers[':status'], await text(asked)).toBe(200)
  session.close()
})

test('streams pass', async () => {
  const headers = { 'x-api-key': key }
  const socket = new WebSocket(`wss://localhost:${proxy.httpsPort}/v1/stream`, { ca: proxy.ca, headers })
  const [welcome] = await once(socket, 'message')
  expect(JSON.parse(String(welcome))).toMatchObject({ type: 'welcome' })
  socket.terminate()
})

test('a key over plain HTTP is refused, also when a header says that it was encrypted', async () => {
  const headers = { 'x-api-key': key, 'x-forwarded-proto': 'https' }
  const answer = await fetch(`http://127.0.0.1:${proxy.httpPort}/v1/limits`, { headers })
  expect([answer.status, await answer.json()]).toMatchObject([403, { error: 'https_required' }])
  const socket = new WebSocket(`ws://127.0.0.1:${proxy.httpPort}/v1/stream`, { headers })
  socket.on('error', () => {})
  const [, refused] = await once(socket, 'unexpected-response')
  expect(refused.statusCode).toBe(403)
})

test('a forged address has no limits of its own, and takes nothing from the address that it names', async () => {
  const ask = async (from: string, forged: string): Promise<number> => {
    const headers = { 'x-forwarded-for': forged, forwarded: `for=${forged}` }
    return (await proxy.ask('/v1/public-stats', { from, headers })).status
  }
  const statuses: number[] = []
  while (!statuses.includes(429) && statuses.length < 200)
    statuses.push(await ask('127.0.0.5', `10.1.${statuses.length}.1`))
  expect(statuses).toContain(429)
  expect(await ask('127.0.0.6', '127.0.0.5')).toBe(200)
})

test('a body above 64 KiB is refused with an error code, and headers above the limit are not passed on', async () => {
  const answer = await proxy.ask('/v1/public-stats', { headers: { 'content-length': String(64 * 1024 + 1) } })
  const body = { error: 'payload_too_large', status: 413, request_id: expect.any(String) }
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([413, body])
  expect((await proxy.ask('/v1/public-stats', { headers: { 'x-large': 'x'.repeat(20_000) } })).status).toBe(400)
})

test('while the API is away, the answer has an error code', async () => {
  await using alone = await RunningProxy.start('127.0.0.1:1')
  const answer = await alone.ask('/v1/public-stats')
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([503, { error: 'overloaded', status: 503 }])
})
