// Nightly: waits for the time limits of the proxy.
// Covers: deploy/ service/src/http/
import type { AddressInfo } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { TestService } from '@bookreel/testbed/service/test-service'
import { until } from '@bookreel/testbed/until'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { RunningProxy } from './running-proxy.ts'

/** More than all buffers between the service and its reader. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)
/** Fewer seconds than in production, so that the test ends. */
const READING = { unreadSeconds: 3, minBytesPerSecond: 1_000_000 }

let service: TestService
let proxy: RunningProxy
let stopApi: () => Promise<void>

beforeAll(async () => {
  service = await TestService.start()
  const server = await service.newServer({ limits: READING, trustedProxies: ['127.0.0.1'] })
  server.get('/large', (_request, reply) => reply.type('application/octet-stream').send(LARGE))
  await server.listen({ port: 0, host: '127.0.0.1' })
  stopApi = () => server.close()
  proxy = await RunningProxy.start(`127.0.0.1:${(server.server.address() as AddressInfo).port}`)
}, 360_000)

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await stopApi?.()
  await service?.[Symbol.asyncDispose]()
})

async function dial(localAddress = '127.0.0.1'): Promise<TLSSocket> {
  const { ca, httpsPort: port } = proxy
  // `localAddress` is passed on to the connection below TLS.
  const options = { host: '127.0.0.1', servername: 'localhost', port, ca, localAddress }
  const socket = connect(options)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve))
  return socket
}

const ended = (socket: TLSSocket) => new Promise((resolve) => socket.once('close', resolve))

/** Sends a byte now and then until the proxy ends the connection; returns its answer and after how many seconds. */
async function dribble(head: string): Promise<{ answer: string; seconds: number }> {
  const socket = await dial()
  const startedMs = performance.now()
  let answer = ''
  socket.on('data', (part) => {
    answer += String(part)
  })
  socket.write(head)
  const writing = setInterval(() => socket.writable && socket.write('a'), 200)
  await ended(socket)
  clearInterval(writing)
  return { answer, seconds: (performance.now() - startedMs) / 1_000 }
}

test('headers that arrive byte by byte are refused after 5 s, and a body after 10 s', async () => {
  const [headers, body] = await Promise.all([
    dribble('GET /v1/public-stats HTTP/1.1\r\nHost: a\r\nX-Slow: '),
    dribble('POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n'),
  ])
  for (const { answer } of [headers, body]) expect(answer).toMatch(/^HTTP\/1.1 408 /)
  expect(body.answer).toContain('Send the body within 10 s.')
  expect(headers.seconds).toBeGreaterThan(4)
  expect(headers.seconds).toBeLessThan(10)
  expect(body.seconds).toBeGreaterThan(9)
  expect(body.seconds).toBeLessThan(15)
})

test('a reader that reads a little now and then is cut, and one that reads fast is served to the end', async () => {
  const ask = 'GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const slow = await dial()
  slow.pause().write(ask)
  let slowBytes = 0
  const reading = setInterval(() => {
    slowBytes += (slow.read(10_000) as Buffer | null)?.length ?? 0
  }, 1_000)
  const fast = await dial('127.0.0.2')
  fast.write(ask)
  let fastBytes = 0
  for await (const part of fast) fastBytes += (part as Buffer).length
  expect(fastBytes).toBeGreaterThan(LARGE.length)
  await until('the service has cut the slow reader', async () => {
    const cut = await service.registry.getSingleMetric('http_connections_cut_total')?.get()
    return cut?.values.some(({ labels, value }) => labels.reason === 'slow_reader' && value === 1)
  })
  clearInterval(reading)
  slow.on('data', (part) => {
    slowBytes += part.length
  })
  await ended(slow.resume())
  expect(slowBytes).toBeLessThan(LARGE.length)
})

test('one address has 256 connections at once, and others have their own', async () => {
  const flood = await Promise.all(Array.from({ length: 300 }, () => dial('127.0.0.3')))
  expect(flood.filter(({ destroyed }) => !destroyed)).toHaveLength(256)
  expect((await proxy.ask('/health/live', { from: '127.0.0.4' })).status).toBe(200)
  expect((await dial('127.0.0.3')).destroyed).toBe(true)
})
