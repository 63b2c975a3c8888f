import { connect } from 'node:net'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { AnonymousBudget } from '../../src/access/anonymous-budget.ts'
import { makeKey } from '../../src/access/key-format.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { StreamClient } from './stream-client.ts'

let scene: GatewayScene
let node: Node

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

const streamAt = ({ url }: Node): string => `${url}/v1/stream`

describe('before the key is accepted', () => {
  const from = (localAddress: string, headers: Record<string, string> = {}) =>
    new WebSocket(streamAt(node), { localAddress, headers })
  const outcomeOf = (socket: WebSocket): Promise<number> =>
    new Promise((resolve) => {
      socket.on('error', () => {})
      socket.on('open', () => resolve(101))
      socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
    })
  const countOf = async (metric: string, labels: Record<string, string>): Promise<number> => {
    const { values = [] } = (await node.registry.getSingleMetric(metric)?.get()) ?? {}
    return (
      values.find((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value))?.value ?? 0
    )
  }

  test('too many frames end the connection', async () => {
    const client = new StreamClient(streamAt(node))
    await new Promise((resolve) => client.socket.once('open', resolve))
    const closed = new Promise((resolve) => client.socket.once('close', resolve))
    for (let frame = 0; frame < 60; frame++) client.send({ op: 'auth', key: makeKey() })
    await client.until(({ type, code }) => type === 'closing' && code === 'rate_limited')
    await closed
    expect(await countOf('gateway_early_cuts_total', { reason: 'frames' })).toBe(1)
  })

  test.each(['before', 'after'])('nothing more is read %s a refusal than its limit', async (when) => {
    const before = await countOf('gateway_early_cuts_total', { reason: 'bytes' })
    const { hostname, port } = new URL(node.url)
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.6' })
    socket.on('error', () => {})
    const head = ['GET /v1/stream HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket']
    socket.write([...head, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${'A'.repeat(22)}==`, '', ''].join('\r\n'))
    await new Promise((resolve) => socket.once('data', resolve))
    const refused = new Promise((resolve) => socket.once('data', resolve))
    socket.resume()
    if (when === 'after') {
      socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]))
      await refused
    }
    // Empty pings never end, and are no frames that the gateway counts.
    const pings = Buffer.alloc(6 * 10_000, Buffer.from([0x89, 0x80, 0, 0, 0, 0]))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const flood = setInterval(() => socket.writableLength < 1_000_000 && socket.write(pings), 1)
    await closed
    clearInterval(flood)
    expect(await countOf('gateway_early_cuts_total', { reason: 'bytes' })).toBe(before + 1)
  })

  test('above the limit, the connection that has waited longest for its key makes room, and none with a key', async () => {
    const few = await scene.startNode({ keylessLimits: { most: 3, withinMs: 600_000 } })
    const { key } = await scene.key('pro')
    const open = async (): Promise<StreamClient> => {
      const client = new StreamClient(streamAt(few))
      await new Promise((resolve) => client.socket.once('open', resolve))
      return client
    }
    const keyed = await open()
    keyed.send({ op: 'auth', key })
    await keyed.until(({ type }) => type === 'welcome')
    const oldest = await open()
    const closed = new Promise((resolve) => oldest.socket.once('close', resolve))
    const others = [await open(), await open()]
    expect(oldest.closed).toBeUndefined()
    others.push(await open())
    await closed
    await keyed.ask({ op: 'ping' })
    for (const { socket } of others) socket.terminate()
  })

  test('upgrades without a key have a budget, and keys in a header are not refused when it is used up', async () => {
    const { key } = await scene.key('pro')
    const statuses: number[] = []
    for (let upgrade = 0; upgrade < 300 && !statuses.includes(429); upgrade++) {
      const socket = from('127.0.0.8')
      statuses.push(await outcomeOf(socket))
      socket.terminate()
    }
    expect(statuses.slice(0, 60)).not.toContain(429)
    expect(statuses).toContain(429)
    const keyed = from('127.0.0.8', { 'x-api-key': key })
    expect(await outcomeOf(keyed)).toBe(101)
    keyed.terminate()
  })

  test('an upgrade with an invalid key counts like one without, and a valid key that this node has never seen enters', async () => {
    const budgets = { upgrades: { rpm: 0.001, burst: 2 } }
    const strict = await scene.startNode({ anonymousBudget: new AnonymousBudget(new Registry(), budgets) })
    const upgrade = (headers: Record<string, string>) => outcomeOf(new WebSocket(streamAt(strict), { headers }))
    expect(await upgrade({ 'x-api-key': 'anything' })).toBe(401)
    expect(await upgrade({ 'x-api-key': makeKey() })).toBe(401)
    for (const headers of [{ 'x-api-key': 'anything' }, { 'x-api-key': makeKey() }, {}])
      expect(await upgrade(headers)).toBe(429)
    expect(await upgrade({ 'x-api-key': (await scene.key('pro')).key })).toBe(101)
  })

  test('a page of another site can not use a cookie of ours, and a cookie never replaces a key', async () => {
    const cookie = '__Host-bookreel=abc'
    expect(await outcomeOf(from('127.0.0.10', { origin: 'https://evil.example', cookie }))).toBe(403)
    const own = new StreamClient(streamAt(node), { headers: { origin: 'http://localhost:8080', cookie } })
    await new Promise((resolve) => own.socket.once('open', resolve))
    own.send({ op: 'subscribe', channel: 'book', markets: [] })
    await own.until(({ type, code }) => type === 'closing' && code === 'unauthenticated')
  })
})
