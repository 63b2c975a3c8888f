import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { trustedProxies } from '../access/client-address.ts'
import { noteKeyed } from '../access/connection-guard.ts'
import { createHardenedServer, type HardenedServer, type ServerLimits } from './hardened-server.ts'

const PATIENTLY = { timeout: 60_000, interval: 20 }
const WAITING = { headersMs: 60_000, requestMs: 60_000, idleMs: 60_000, stalledMs: 60_000 }
/** More than the operating system buffers for a connection. */
const LARGE = Buffer.alloc(64 * 1024 * 1024)

interface Listening extends HardenedServer {
  readonly port: number
  cuts(reason: string): Promise<number>
  open(kind: string): Promise<number>
}

async function listen(
  limits: Partial<ServerLimits>,
  handler: RequestListener = (_, response) => void response.end('ok'),
  proxies: string[] = [],
): Promise<Listening> {
  const registry = new Registry()
  const hardened = createHardenedServer({ registry, proxies: trustedProxies(proxies), limits }, handler)
  const { server } = hardened
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const readMetric = async (metric: string, labels: Record<string, string>): Promise<number> => {
    const { values = [] } = (await registry.getSingleMetric(metric)?.get()) ?? {}
    const found = values.find((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value))
    return found?.value ?? 0
  }
  return {
    ...hardened,
    port: (server.address() as AddressInfo).port,
    cuts: (reason) => readMetric('http_connections_cut_total', { reason }),
    open: (kind) => readMetric('http_connections', { kind }),
  }
}

async function dial({ port }: Listening, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const dialMany = (server: Listening, count: number, from?: string): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => dial(server, from)))

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
  const server = await listen({ stalledMs: 500 }, (_, response) => void response.end(LARGE))
  const stalled = await dialMany(server, 24)
  for (const socket of stalled) socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await vi.waitFor(async () => expect(await server.cuts('stalled_reader')).toBe(24), PATIENTLY)
  await vi.waitFor(async () => expect(await server.open('anonymous')).toBe(0), PATIENTLY)
})

test('empty lines do not keep a connection open', async () => {
  const server = await listen({ ...WAITING, withoutRequestMs: 300 })
  const socket = await dial(server)
  socket.resume()
  const writing = setInterval(() => socket.write('\r\n'), 20)
  onTestFinished(() => clearInterval(writing))
  await vi.waitFor(() => expect(isClosed(socket)).toBe(true), PATIENTLY)
  expect(await server.cuts('no_request')).toBe(1)
})

test('the end of an idle connection is not counted as a stalled reader', async () => {
  const server = await listen({ idleMs: 200 })
  const idle = (await dial(server)).resume()
  idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await vi.waitFor(() => expect(isClosed(idle)).toBe(true), PATIENTLY)
  expect(await server.cuts('stalled_reader')).toBe(0)
})

test('a reader that reads only a little now and then is cut off', async () => {
  const limits = { stalledMs: 60_000, unreadMs: 500, minBytesPerSecond: 1_000_000_000 }
  const server = await listen(limits, (_, response) => void response.end(LARGE))
  const slow = (await dial(server)).pause()
  slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const reading = setInterval(() => void slow.read(1), 20)
  onTestFinished(() => clearInterval(reading))
  await vi.waitFor(async () => expect(await server.cuts('slow_reader')).toBe(1), PATIENTLY)
})

test('a slow line that keeps reading is served to the end', async () => {
  const limits = { stalledMs: 1_000, unreadMs: 1_000, minBytesPerSecond: 1_000 }
  const chunk = LARGE.subarray(0, 64 * 1024)
  const server = await listen(
    limits,
    (_, response) => void pipeline(Readable.from(Array.from({ length: 40 }, () => chunk)), response),
  )
  const slow = await dial(server)
  slow.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  let bytes = 0
  for await (const part of slow) {
    bytes += (part as Buffer).length
    await sleep(1)
  }
  expect(bytes).toBeGreaterThan(40 * chunk.length)
})

test('one address keeps at most its connections, and takes none from other addresses or from callers with a key', async () => {
  const server = await listen({ maxPerAddress: 5, ...WAITING }, (request, response) => {
    if (request.headers['x-api-key'] === 'good') noteKeyed(request.socket, 'account')
    response.end('ok')
  })
  const customers = await dialMany(server, 8)
  for (const socket of customers) socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\nX-API-Key: good\r\n\r\n')
  await vi.waitFor(async () => expect(await server.open('keyed')).toBe(8), PATIENTLY)
  const elsewhere = await dialMany(server, 5, '127.0.0.2')
  const flood = await dialMany(server, 30)
  for (const socket of [...elsewhere, ...flood]) socket.resume()
  await vi.waitFor(() => expect(flood.filter((each) => !isClosed(each))).toHaveLength(5), PATIENTLY)
  expect(await server.cuts('address_limit')).toBe(25)
  expect([...customers, ...elsewhere].filter(isClosed)).toEqual([])
})

test('many addresses together keep at most the limit, and the address with the most loses them', async () => {
  const server = await listen({ maxAnonymous: 12, ...WAITING })
  const few = await dialMany(server, 3, '127.0.0.2')
  const many = await dialMany(server, 20, '127.0.0.3')
  for (const socket of [...few, ...many]) socket.resume()
  await vi.waitFor(() => expect(many.filter((each) => !isClosed(each)).length).toBeLessThanOrEqual(9), PATIENTLY)
  expect(few.filter(isClosed)).toEqual([])
  expect(await server.cuts('anonymous_limit')).toBeGreaterThanOrEqual(11)
})

test('an account protects a limited number of connections', async () => {
  const server = await listen({ maxPerAccount: 3, ...WAITING }, ({ socket }, response) => {
    noteKeyed(socket, 'account')
    response.end('ok')
  })
  for (const socket of await dialMany(server, 10)) socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await vi.waitFor(async () => expect([await server.open('keyed'), await server.open('anonymous')]).toEqual([3, 7]))
})

test('connections of a trusted proxy are not limited by address', async () => {
  const server = await listen({ maxPerAddress: 1, maxAnonymous: 1, ...WAITING }, undefined, ['127.0.0.0/24'])
  const proxied = await dialMany(server, 5)
  const stranger = await dialMany(server, 3, '127.0.1.1')
  for (const socket of [...proxied, ...stranger]) socket.resume()
  await vi.waitFor(() => expect(stranger.filter((each) => !isClosed(each))).toHaveLength(1), PATIENTLY)
  expect(proxied.filter(isClosed)).toEqual([])
})

test('above the limit of the process, connections are refused and counted', async () => {
  const server = await listen({ maxConnections: 2, ...WAITING })
  for (const socket of await dialMany(server, 5)) socket.resume()
  await vi.waitFor(async () => expect(await server.cuts('connection_limit')).toBe(3), PATIENTLY)
})

test('a server that stops closes idle connections at once, and lets requests in progress end', async () => {
  let finish: () => void = () => {}
  const server = await listen({ ...WAITING }, (_, response) => {
    finish = () => response.end('done')
  })
  const [silent, partial, busy] = await Promise.all([dial(server), dial(server), dial(server)])
  partial.resume().write('GET / HT')
  silent.resume()
  let answer = ''
  busy.on('data', (part) => {
    answer += String(part)
  })
  const requested = once(server.server, 'request')
  busy.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await requested
  await vi.waitFor(async () => expect(await server.open('anonymous')).toBe(3), PATIENTLY)
  const closed = once(server.server, 'close')
  server.drain()
  server.server.close()
  await vi.waitFor(() => expect([isClosed(silent), isClosed(partial)]).toEqual([true, true]), PATIENTLY)
  finish()
  await closed
  await vi.waitFor(() => expect(answer).toContain('done'), PATIENTLY)
})
