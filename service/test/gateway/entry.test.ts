import type { IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { gatewayRole } from '../../src/roles/gateway-role.ts'
import { WsLeases } from '../../src/stores/accounts/ws-leases.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { rowAt } from './published-rows.ts'
import { StreamClient } from './stream-client.ts'

let scene: GatewayScene
let node: Node
const it = madeMarket('entry')

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  await scene.list(it)
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

const streamAt = ({ url }: Node): string => `${url}/v1/stream`

/** The HTTP response to a refused upgrade. */
async function refusal(url: string, key: string | Record<string, string>) {
  const socket = new WebSocket(url, { headers: typeof key === 'string' ? { 'x-api-key': key } : key })
  socket.on('error', () => {})
  interface Refusal {
    readonly status: number
    readonly headers: IncomingHttpHeaders
    readonly body: Record<string, unknown>
  }
  return new Promise<Refusal>((resolve, reject) => {
    socket.on('open', () => reject(new Error('it was let in')))
    socket.on('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (part) => {
        text += String(part)
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) }),
      )
    })
  })
}

test('a connection that is opened while the last one of the account closes waits for its place', async () => {
  const { key, accountId } = await scene.key('pro')
  const leases = new WsLeases(scene.stores.redis)
  expect(await leases.hold(accountId, 'closing', 1)).toBe(true)
  const opened = StreamClient.open(streamAt(node), key)
  await sleep(300)
  await leases.release(accountId, 'closing')
  const client = await opened
  expect(client.frames[0]).toMatchObject({ type: 'welcome' })
  await client.close()
})

describe('authentication of a connection', () => {
  test('a key in a header is accepted, and a wrong one is refused in HTTP', async () => {
    const refused = [
      [await refusal(streamAt(node), 'no key of ours'), 401, 'unauthenticated'],
      [await refusal(streamAt(node), (await scene.key('free')).key), 403, 'tier_not_allowed'],
      [await refusal(streamAt(node), (await scene.key('scale', { scopes: ['live'] })).key), 403, 'scope_not_allowed'],
      [await refusal(`${node.url}/v1/other`, (await scene.key('scale')).key), 404, 'not_found'],
    ] as const
    for (const [{ status, body }, expected, code] of refused) {
      expect(status).toBe(expected)
      expect(body).toMatchObject({ error: code, status: expected, request_id: expect.any(String) })
    }
    for (const { status, headers } of refused.map(([each]) => each)) {
      expect(headers['www-authenticate']).toEqual(
        status === 401 ? expect.stringMatching(/^Bearer .*"invalid_token"/) : undefined,
      )
    }
    const client = await scene.client(node, 'pro')
    expect(client.frames[0]).toMatchObject({ type: 'welcome', tier: 'pro', limits: { subscriptions: 500, used: 0 } })
    await client.close()
  })

  test('a Bearer token is accepted, and a wrong or empty one is refused', async () => {
    const { key } = await scene.key('pro')
    const client = new StreamClient(streamAt(node), { headers: { authorization: `Bearer ${key}` } })
    await client.until(({ type }) => type === 'welcome')
    await client.close()
    const wrong = await refusal(streamAt(node), { authorization: 'Bearer nonsense' })
    expect(wrong).toMatchObject({ status: 401, body: { details: { reason: 'malformed_key' } } })
    const empty = await refusal(streamAt(node), { 'x-api-key': '' })
    expect(empty).toMatchObject({ status: 401, body: { details: { reason: 'missing_key' } } })
    expect(empty.headers['www-authenticate']).toBe('Bearer realm="bookreel"')
  })

  test('a key in a frame is accepted beside the Authorization of a proxy', async () => {
    const { key } = await scene.key('pro')
    const client = new StreamClient(streamAt(node), { headers: { authorization: 'Basic YTpi' } })
    await new Promise((resolve) => client.socket.once('open', resolve))
    client.send({ op: 'auth', key })
    await client.until(({ type }) => type === 'welcome')
    await client.close()
  })

  test('an invalid handshake with a valid key takes no connection from the account, and its socket is closed', async () => {
    const { key } = await scene.key('pro')
    const { hostname, port } = new URL(node.url)
    for (const path of ['/v1/stream', '/v1/other']) {
      // A client that never closes its side.
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      const head = [`GET ${path} HTTP/1.1`, `Host: ${hostname}`, 'Connection: Upgrade', 'Upgrade: websocket']
      socket.write([...head, 'Sec-WebSocket-Version: 12', `X-API-Key: ${key}`, '', ''].join('\r\n'))
      socket.on('error', () => {})
      const answer = await text(socket)
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
      // A server that has closed its side too resets a connection that is still written to.
      const reset = new Promise((resolve) => socket.once('close', resolve))
      const writing = setInterval(() => socket.write('x'), 20)
      await reset
      clearInterval(writing)
    }
    const client = await StreamClient.open(streamAt(node), key)
    await client.close()
  })

  test('a key in the first frame is accepted, and frames sent right after it are not lost', async () => {
    const client = new StreamClient(streamAt(node))
    await new Promise((resolve) => client.socket.once('open', resolve))
    const { key } = await scene.key('pro')
    client.send({ op: 'auth', key })
    const id = client.send({ op: 'subscribe', selectors: [{ market: it.id }] })
    await client.until((frame) => frame.id === id && frame.accepted?.length === 1)
    expect(client.frames.map(({ type }) => type).slice(0, 2)).toEqual(['welcome', 'ack'])
    client.expectOnlyFrames()
    await client.close()
  })

  test('closes with 4003 for a wrong key, with 4001 without a key within five seconds', async () => {
    const [wrong, mute, chatty] = [0, 1, 2].map(() => new StreamClient(streamAt(node)))
    if (!wrong || !mute || !chatty) throw new Error('three clients')
    for (const each of [wrong, chatty]) await new Promise((resolve) => each.socket.once('open', resolve))
    wrong.send({ op: 'auth', key: 'no key of ours' })
    chatty.send({ op: 'subscribe', selectors: [{ market: it.id }] })
    expect(await wrong.untilClosed()).toEqual({ code: 4003, reason: 'unauthenticated' })
    expect(wrong.frames).toMatchObject([{ type: 'closing', code: 'unauthenticated', reconnect: false }])
    expect(wrong.frames[0]?.message).toMatch(/^The API key is malformed: .* send it in the auth frame\.$/)
    expect((await chatty.untilClosed()).code).toBe(4001)
    expect(chatty.frames[0]?.message).toMatch(/"X-API-Key: <key>".*The first frame is subscribe\.$/)
    expect((await mute.untilClosed()).code).toBe(4001)
  })
})

test('an account has at most the connections of its tier, over all nodes together', async () => {
  const other = await scene.startNode()
  const { key } = await scene.key('pro')
  const first = await StreamClient.open(streamAt(node), key)
  const full = await refusal(streamAt(other), key)
  expect(full).toMatchObject({ status: 429, body: { details: { tier: 'pro', connections: 1, reset_seconds: 1 } } })
  expect(full.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-limit': '300',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
  })
  const late = new StreamClient(streamAt(other))
  await new Promise((resolve) => late.socket.once('open', resolve))
  late.send({ op: 'auth', key })
  expect((await late.untilClosed()).code).toBe(4003)
  await first.close()
  const scale = await scene.key('scale')
  const tries = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => {
      const client = new StreamClient(streamAt(index % 2 === 0 ? node : other), { key: scale.key })
      return new Promise<StreamClient>((resolve, reject) => {
        client.socket.once('open', () => resolve(client))
        client.socket.once('unexpected-response', () => reject(new Error('refused')))
      })
    }),
  )
  const open = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(open).toHaveLength(5)
  await Promise.all(open.map((each) => each.close()))
  await other.stop()
})

describe('a connection is closed', () => {
  test('when its key is revoked or its account changes', async () => {
    const [revoked, moved, stays] = await Promise.all([scene.key('pro'), scene.key('scale'), scene.key('pro')])
    const clients = await Promise.all([revoked, moved, stays].map(({ key }) => StreamClient.open(streamAt(node), key)))
    const [first, second, third] = clients as [StreamClient, StreamClient, StreamClient]
    await revokeKey(scene.access, revoked.keyId)
    await scene.access.accounts.setTier(moved.accountId, { tier: 'pro', monthlyCredits: 0 })
    expect((await first.untilClosed()).code).toBe(4003)
    expect(first.frames.at(-1)).toMatchObject({ type: 'closing', reconnect: false })
    expect((await second.untilClosed()).code).toBe(4010)
    expect(second.frames.at(-1)).toMatchObject({ type: 'closing', code: 'tier_changed', reconnect: true })
    const again = await StreamClient.open(streamAt(node), moved.key)
    expect(again.frames[0]).toMatchObject({ type: 'welcome', tier: 'pro' })
    await again.close()
    expect(await third.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
    await third.close()
  })

  test('when others have taken its place, for example while its node was suspended', async () => {
    const { key, accountId } = await scene.key('pro')
    const client = await StreamClient.open(streamAt(node), key)
    const leases = new WsLeases(scene.stores.redis)
    await leases.release(accountId, client.frames[0]?.connection)
    expect(await leases.hold(accountId, 'another connection', 1)).toBe(true)
    expect(await client.untilClosed()).toEqual({ code: 4003, reason: 'rate_limited' })
    expect(client.frames.at(-1)).toMatchObject({ type: 'closing', reconnect: false })
  })

  test('after several invalid frames, each of which gets an error', async () => {
    const client = await scene.client(node, 'pro')
    client.socket.send('{"op":"subscribe"')
    client.socket.send(JSON.stringify({ id: 'x', op: 'subscribe', selectors: [{ market: 'BTC' }] }))
    const answer = await client.until(({ id }) => id === 'x')
    expect(answer).toMatchObject({ type: 'error', code: 'invalid_request' })
    expect(answer.message).toBe('selectors[0].market must be a condition id: 0x and 64 hex digits')
    const unknown = await client.ask({ op: 'subscribe', selectors: [{ coin: 'BTC', timeframe: '7m' }] })
    expect(unknown.message).toBe('selectors[0].timeframe must be one of 5m, 15m, 1h, 4h, 1d, got "7m"')
    for (let count = 0; count < 60; count++) client.socket.send('nonsense')
    expect((await client.untilClosed()).code).toBe(4008)
    client.expectOnlyFrames()
  })

  test('after too many frames in a second', async () => {
    const client = await scene.client(node, 'pro')
    for (let count = 0; count < 100; count++) client.send({ op: 'ping' })
    expect((await client.untilClosed()).code).toBe(4008)
    expect(client.frames.filter(({ type }) => type === 'pong').length).toBeGreaterThanOrEqual(40)
    expect(client.frames.some(({ code }) => code === 'rate_limited')).toBe(true)
  })

  test('with 1001 and a notice when its node shuts down', async () => {
    const other = await scene.startNode()
    const { key } = await scene.key('pro')
    const client = await StreamClient.open(streamAt(other), key)
    await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
    await other.stop()
    expect((await client.untilClosed()).code).toBe(1001)
    expect(client.frames.at(-1)).toMatchObject({ type: 'closing', code: 'going_away', reconnect: true })
    // Its connection no longer counts for the limit.
    const again = await StreamClient.open(streamAt(node), key)
    await again.close()
  })
})

test('a gateway can run as a role of its own, with its own server', async () => {
  const stop = new AbortController()
  const lines: { port?: number }[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const config = { ...scene.config, GATEWAY_PORT: 0 }
  const role = gatewayRole({ config, log, registry: new Registry(), nowMs: scene.service.nowMs }, stop.signal)
  const listening = await vi.waitUntil(() => lines.find(({ port }) => port !== undefined), { timeout: 120_000 })
  const answer = await fetch(`http://127.0.0.1:${listening.port}/`)
  expect(answer.status).toBe(426)
  const { key } = await scene.key('pro')
  const client = await StreamClient.open(`ws://127.0.0.1:${listening.port}/v1/stream`, key)
  const ack = await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
  expect(ack.accepted).toHaveLength(1)
  stop.abort()
  expect((await client.untilClosed()).code).toBe(1001)
  await role
})

test('simple clients request a coin and get whole books', async () => {
  const doge = madeMarket('simple', { subcategory: 'DOGE' })
  await scene.list(doge)
  const slot = Math.floor(scene.service.nowMs() / 250)
  await scene.putInRedis(rowAt(doge, slot - (slot % 5) + 1))
  const client = new StreamClient(`${node.url}/ws/orderbook`, { isSimple: true })
  await new Promise((resolve) => client.socket.once('open', resolve))
  const { key } = await scene.key('pro')
  client.socket.send(JSON.stringify({ type: 'auth', apiKey: key }))
  await client.until(({ type, status }) => type === 'auth' && status === 'ok')
  const listed = await client.until(({ type }) => type === 'markets')
  expect(listed.data.map(({ conditionId }: { conditionId: string }) => conditionId)).toContain(doge.id)
  client.socket.send(JSON.stringify({ type: 'subscribe', crypto: 'doge' }))
  const books = await client.until(({ type }) => type === 'orderbook')
  expect(books.markets[0]).toMatchObject({ marketId: doge.id, crypto: 'DOGE', up: { bids: expect.any(Array) } })
  await client.until((frame) => frame.type === 'orderbook' && frame !== books)
  client.socket.send(JSON.stringify({ type: 'subscribe', crypto: 'ZZZ' }))
  await client.until(({ type, code }) => type === 'error' && code === 'invalid_request')
  await client.close()
})

describe('frames of a client', () => {
  /** Sends all frames in one write. */
  const burst = ({ socket }: StreamClient, frames: readonly object[]): void => {
    const { _socket: tcp } = socket as unknown as { _socket: Socket }
    tcp.cork()
    for (const frame of frames) socket.send(JSON.stringify(frame))
    tcp.uncork()
  }
  const times = (count: number, frame: object): object[] =>
    Array.from({ length: count }, (_, index) => ({ id: index, ...frame }))

  test.each([
    ['/ws/orderbook', { type: 'markets' }],
    ['/ws/orderbook', { type: 'subscribe', crypto: 'DOGE' }],
    ['/v1/stream', { op: 'ping' }],
    ['/v1/stream', { op: 'subscribe', selectors: [{ category: 'crypto' }] }],
    ['/v1/stream', { op: 'replay.seek', to: 1_800_000_000_000 }],
  ])('250 on %s, %j, do not block the process, and end with a reason', async (path, frame) => {
    const list = vi.spyOn(scene.stores.catalogue, 'list')
    const isSimple = path === '/ws/orderbook'
    const client = new StreamClient(`${node.url}${path}`, { key: (await scene.key('pro')).key, isSimple })
    await client.until(({ type }) => type === (isSimple ? 'auth' : 'welcome'))
    const before = process.threadCpuUsage()
    burst(client, times(250, frame))
    expect(await client.untilClosed()).toEqual({ code: 4008, reason: 'rate_limited' })
    // CPU time, because the machine may stop a process for longer than that. The client is in this thread as well.
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(400)
    const refused = client.frames.filter(({ code }) => code === 'rate_limited')
    expect(refused[0]?.message).toContain('20 frames per second')
    expect(refused.length).toBeLessThanOrEqual(22)
    // The list is written once a second, not once per frame.
    expect(list.mock.calls.filter(([filter]) => 'categories' in filter).length).toBeLessThanOrEqual(3)
    list.mockRestore()
  })

  test('of all connections of an account count together', async () => {
    const { key } = await scene.key('scale')
    const clients = await Promise.all(times(5, {}).map(() => StreamClient.open(streamAt(node), key)))
    const sinceMs = performance.now()
    for (const client of clients) burst(client, times(38, { op: 'ping' }))
    const answers = () => clients.flatMap(({ frames }) => frames.slice(1))
    const isRefused = ({ message }: { message?: string }): boolean =>
      message?.includes('connections of an account') === true
    await vi.waitUntil(() => answers().some(isRefused), { timeout: 120_000 })
    await Promise.all(clients.map((client) => client.close()))
    const answered = answers().filter(({ type }) => type === 'pong').length
    expect(answered).toBeLessThanOrEqual(120 + (60 * (performance.now() - sinceMs)) / 1_000)
  })

  test('with unknown selectors ask the databases a limited number of times', async () => {
    const stores = [scene.stores.markets, scene.stores.recordedMarkets] as const
    const lookups = stores.map((store) => vi.spyOn(store, 'byId'))
    const client = await scene.client(node, 'pro')
    const sinceMs = performance.now()
    const selectors = times(500, {}).map((_, index) => ({ market: `0x${String(index).padStart(64, '0')}` }))
    const { rejected } = await client.ask({ op: 'subscribe', selectors })
    const asked = lookups.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    expect(asked).toBeLessThanOrEqual(400 + (20 * (performance.now() - sinceMs)) / 1_000)
    expect(rejected).toHaveLength(500)
    expect(rejected[0]).toMatchObject({ reason: 'market_not_found' })
    expect(rejected.at(-1)).toMatchObject({ reason: 'rate_limited' })
    for (const each of lookups) each.mockRestore()
    await client.close()
  })

  test('that wait for the answer to an earlier one are limited', async () => {
    const answers = Promise.withResolvers<undefined>()
    const slow = vi.spyOn(scene.stores.markets, 'byToken').mockImplementation(() => answers.promise)
    const client = await scene.client(node, 'pro')
    client.send({ op: 'subscribe', selectors: [{ token: '1' }] })
    for (let count = 0; count < 39; count++) client.send({ op: 'unsubscribe' })
    const isRefused = ({ code, message }: { code?: string; message?: string }): boolean =>
      code === 'rate_limited' && message?.includes('wait for their answers') === true
    await vi.waitUntil(
      () => {
        client.send({ op: 'unsubscribe' })
        return client.frames.some(isRefused)
      },
      { timeout: 120_000, interval: 200 },
    )
    expect(client.frames.filter(({ type }) => type === 'ack')).toEqual([])
    answers.resolve(undefined)
    await vi.waitUntil(() => client.frames.filter(({ type }) => type === 'ack').length >= 40, { timeout: 120_000 })
    slow.mockRestore()
    await client.close()
  })
})
