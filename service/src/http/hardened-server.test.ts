import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHardenedServer, type HardenedServer, type ServerLimits } from './hardened-server.ts'

const PATIENTLY = { timeout: 60_000, interval: 20 }
const WAITING = { headersMs: 60_000, requestMs: 60_000, idleMs: 60_000, stalledMs: 60_000 }
/** More than the operating system buffers for a connection. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

interface Listening extends HardenedServer {
  readonly port: number
  cuts(reason: string): Promise<number>
  open(): Promise<number>
}

async function listen(
  limits: Partial<ServerLimits>,
  handler: RequestListener = (_, response) => void response.end('ok'),
): Promise<Listening> {
  const registry = new Registry()
  const hardened = createHardenedServer({ registry, limits }, handler)
  const { server } = hardened
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const readMetric = async (metric: string, labels: Record<string, string> = {}): Promise<number> => {
    const { values = [] } = (await registry.getSingleMetric(metric)?.get()) ?? {}
    const found = values.find((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value))
    return found?.value ?? 0
  }
  return {
    ...hardened,
    port: (server.address() as AddressInfo).port,
    cuts: (reason) => readMetric('http_connections_cut_total', { reason }),
    open: () => readMetric('http_connections'),
  }
}

async function dial({ port }: Listening): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const dialMany = (server: Listening, count: number): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => dial(server)))

/** Whether the server has closed the connection; the socket must be read for this to be seen. */
const isClosed = (socket: Socket): boolean => socket.destroyed || socket.readableEnded

test('a connection that sends nothing is closed without an answer, which a browser would take for that of its next request', async () => {
  const server = await listen({ headersMs: 200, requestMs: 120_000 })
  const silent = await dial(server)
  let answer = ''
  silent.on('data', (part) => {
    answer += String(part)
  })
  await vi.waitFor(() => expect(isClosed(silent)).toBe(true), PATIENTLY)
  expect(answer).toBe('')
  expect(await server.cuts('no_request')).toBe(1)
})

test('headers that arrive byte by byte are refused when their time is over', async () => {
  const server = await listen({ headersMs: 300, requestMs: 120_000 })
  const slow = await dial(server)
  let answer = ''
  slow.on('data', (part) => {
    answer += String(part)
  })
  slow.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ')
  const writing = setInterval(() => slow.writable && slow.write('a'), 20)
  onTestFinished(() => clearInterval(writing))
  await vi.waitFor(() => expect(isClosed(slow)).toBe(true), PATIENTLY)
  expect(answer).toContain('The request did not arrive in time.')
  expect(await server.cuts('request_timeout')).toBe(1)
})

test('headers above 8 KiB are refused with a sentence', async () => {
  const server = await listen({})
  const answer = (await dial(server)).end(`GET /${'x'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
  expect(Buffer.concat(await Array.fromAsync<Buffer>(answer)).toString()).toContain('Send at most 8 KiB.')
  expect(await server.cuts('invalid_http')).toBe(1)
})

test('a body that arrives byte by byte is refused when its time is over', async () => {
  const server = await listen({ headersMs: 300, requestMs: 300 }, (request) => void request.resume())
  const slow = (await dial(server)).resume()
  slow.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n')
  const writing = setInterval(() => slow.writable && slow.write('a'), 20)
  onTestFinished(() => clearInterval(writing))
  await vi.waitFor(() => expect(isClosed(slow)).toBe(true), PATIENTLY)
  expect(await server.cuts('request_timeout')).toBe(1)
})

test('a reader that has stopped is cut off, and what it did not read is freed', async () => {
  let requests = 0
  const server = await listen({ stalledMs: 500 }, (_, response) => {
    requests++
    response.end(LARGE)
  })
  const stalled = await dialMany(server, 24)
  for (const socket of stalled) socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await vi.waitFor(() => expect(requests).toBe(24), PATIENTLY)
  await vi.waitFor(async () => expect(await server.open()).toBe(0), PATIENTLY)
})

test('a connection is kept between two requests for longer than by usual proxies, and then closed', async () => {
  const server = await listen({})
  const answer = await fetch(`http://127.0.0.1:${server.port}/`)
  expect(Number(answer.headers.get('keep-alive')?.match(/timeout=(\d+)/)?.[1])).toBeGreaterThan(600)
  const short = await listen({ idleMs: 200 })
  const idle = (await dial(short)).resume()
  idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await vi.waitFor(() => expect(isClosed(idle)).toBe(true), PATIENTLY)
})

test('a reader that reads only a little now and then is cut off and counted', async () => {
  const limits = { stalledMs: 60_000, unreadSeconds: 0, minBytesPerSecond: 1_000_000_000 }
  const server = await listen(limits, (_, response) => void response.end(LARGE))
  const slow = (await dial(server)).pause()
  slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const reading = setInterval(() => void slow.read(1), 20)
  onTestFinished(() => clearInterval(reading))
  await vi.waitFor(async () => expect(await server.cuts('slow_reader')).toBe(1), PATIENTLY)
})

test('above the limit of the process, connections are refused and counted', async () => {
  const server = await listen({ maxConnections: 2, ...WAITING })
  for (const socket of await dialMany(server, 5)) socket.resume()
  await vi.waitFor(async () => expect(await server.cuts('connection_limit')).toBe(3), PATIENTLY)
})

test('a server that stops closes idle connections at once, and lets requests in progress end', async () => {
  let finish: () => void = () => {}
  const server = await listen({ ...WAITING, drainMs: 600_000 }, ({ url }, response) => {
    if (url === '/busy') finish = () => response.end('done')
    else response.end('ok')
  })
  const [silent, idle, busy] = await Promise.all([dial(server), dial(server), dial(server)])
  silent.resume()
  idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(idle, 'data')
  let answer = ''
  busy.on('data', (part) => {
    answer += String(part)
  })
  const requested = once(server.server, 'request')
  busy.write('GET /busy HTTP/1.1\r\nHost: a\r\n\r\n')
  await requested
  await vi.waitFor(async () => expect(await server.open()).toBe(3), PATIENTLY)
  const closed = once(server.server, 'close')
  server.drain()
  server.server.close()
  await vi.waitFor(() => expect([isClosed(silent), isClosed(idle)]).toEqual([true, true]), PATIENTLY)
  finish()
  await closed
  await vi.waitFor(() => expect(answer).toContain('done'), PATIENTLY)
})

test('a request that does not end does not keep a server that stops', async () => {
  const server = await listen({ ...WAITING, drainMs: 100 }, () => {})
  const requested = once(server.server, 'request')
  ;(await dial(server)).resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await requested
  const closed = once(server.server, 'close')
  server.drain()
  server.server.close()
  await closed
  expect(await server.cuts('shutdown')).toBe(1)
})
