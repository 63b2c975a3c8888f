import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { TIERS } from '../../src/domain/tier.ts'
import { addMcp } from '../../src/mcp/add-mcp.ts'
import { openMcp } from '../../src/wiring/open-mcp.ts'
import { openPipeline } from '../../src/wiring/open-pipeline.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { StreamClient } from './stream-client.ts'

const HOUR_MS = 3_600_000

let scene: GatewayScene
let node: Node
const crypto = madeMarket('tiers-crypto')
const sports = madeMarket('tiers-sports', { category: 'sports' })
const old = { from: WORLD_NOW_MS - 48 * HOUR_MS, to: WORLD_NOW_MS - 47 * HOUR_MS }
const recent = { from: WORLD_NOW_MS - HOUR_MS, to: WORLD_NOW_MS }

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  const { access, stores, config, registry, server, nowMs } = scene.service
  const pipeline = openPipeline({ access, stores, registry, signIn: undefined, nowMs })
  await addMcp(server, openMcp(config, pipeline, pino({ level: 'silent' })))
  await scene.list(crypto, sports)
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

/** What a caller gets: the status of a tier refusal, or `open`. */
type Outcome = 402 | 403 | 'open'

async function rest(key: string, path: string): Promise<Outcome> {
  const { status, text } = await scene.service.ask(path, { key })
  expect(status).not.toBe(401)
  return text.includes('"tier_not_allowed"') ? (status as 402 | 403) : 'open'
}

async function mcp(key: string, name: string, args: Record<string, unknown>): Promise<Outcome> {
  const { status, text } = await scene.service.ask('/mcp', {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  })
  expect(status).toBe(200)
  expect(text).not.toContain('invalid_request')
  return text.includes('tier_not_allowed') ? 403 : 'open'
}

/** The answer to one frame, or the refusal of the connection. */
async function stream(key: string, frame: Record<string, unknown>): Promise<Outcome> {
  if ((await upgrade(key, '/v1/stream')) === 403) return 403
  const client = await StreamClient.open(`${node.url}/v1/stream`, key)
  const answer = JSON.stringify(await client.ask(frame))
  await client.close()
  expect(answer).not.toContain('"invalid_request"')
  return answer.includes('"tier_not_allowed"') ? 403 : 'open'
}

async function upgrade(key: string, path: string): Promise<Outcome> {
  const socket = new WebSocket(`${node.url}${path}`, { headers: { 'x-api-key': key } })
  socket.on('error', () => {})
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.once('close', () => resolve('open'))
      socket.close()
    })
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode as 402 | 403))
  })
}

const query = ({ from, to }: typeof old): string => `from=${from}&to=${to}`
const replay = (range: typeof old) => ({ op: 'replay', selectors: [{ market: crypto.id }], ...range, dry_run: true })

/** Written out by hand: what a free, pro, scale and enterprise key gets on each transport. */
const CELLS: readonly [
  what: string,
  expected: readonly [Outcome, Outcome, Outcome, Outcome],
  ask: (key: string) => Promise<Outcome>,
][] = [
  ['csv over REST', [403, 403, 'open', 'open'], (key) => rest(key, '/v1/markets/live?format=csv')],
  [
    'a live exchange book over REST',
    [403, 403, 'open', 'open'],
    (key) => rest(key, '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid'),
  ],
  [
    'a live exchange book over MCP',
    [403, 403, 'open', 'open'],
    (key) => mcp(key, 'get_exchange_orderbook', { coin: 'BTC' }),
  ],
  [
    'a live exchange book over WebSocket',
    [403, 403, 'open', 'open'],
    (key) => stream(key, { op: 'subscribe', selectors: [{ symbol: 'BTC' }] }),
  ],
  ['a crypto market over REST', ['open', 'open', 'open', 'open'], (key) => rest(key, bookOf(crypto.id))],
  ['a sports market over REST', [403, 'open', 'open', 'open'], (key) => rest(key, bookOf(sports.id))],
  [
    'a sports market over MCP',
    [403, 'open', 'open', 'open'],
    (key) => mcp(key, 'get_orderbook', { market: sports.slug }),
  ],
  [
    'a sports market over WebSocket',
    [403, 'open', 'open', 'open'],
    (key) => stream(key, { op: 'subscribe', selectors: [{ market: sports.id }] }),
  ],
  ['an hour ago over REST', ['open', 'open', 'open', 'open'], (key) => rest(key, asOf(recent))],
  ['two days ago over REST', [403, 'open', 'open', 'open'], (key) => rest(key, asOf(old))],
  [
    'snapshots of two days ago over REST',
    [402, 'open', 'open', 'open'],
    (key) => rest(key, `/v1/markets/${crypto.id}/snapshots?${query(old)}`),
  ],
  ['a tool for history over MCP', [403, 'open', 'open', 'open'], (key) => mcp(key, 'list_gaps', { market: crypto.id })],
  ['a tool for live data over MCP', ['open', 'open', 'open', 'open'], (key) => mcp(key, 'list_live_markets', {})],
  ['a replay over WebSocket', [403, 'open', 'open', 'open'], (key) => stream(key, replay(old))],
  ['a stream', [403, 'open', 'open', 'open'], (key) => upgrade(key, '/v1/stream')],
  ['a simple stream', [403, 'open', 'open', 'open'], (key) => upgrade(key, '/ws/orderbook')],
]

function bookOf(marketId: string): string {
  return `/v1/markets/${marketId}/orderbook`
}

function asOf({ from }: typeof old): string {
  return `/v1/asof?markets=${crypto.slug}&timestamp=${from}`
}

test.each(CELLS)('tier matrix: %s is %j for free, pro, scale and enterprise', async (_, expected, ask) => {
  const got: Outcome[] = []
  for (const tier of TIERS) got.push(await ask((await scene.key(tier)).key))
  expect(got).toEqual(expected)
})

test('a tier that gives way to waiting months of a lower one ends with 4010, and the next connection has its limits', async () => {
  const { key, accountId } = await scene.key('scale')
  const { rows } = await sql<{ id: string }>`
    INSERT INTO invoices (account_id, provider, pack, price_usd, credits, months, tier, expires_at)
    VALUES (${accountId}, 'btcpay', 'pro_monthly', 29, 1, 1, 'pro', now()) RETURNING id
  `.execute(scene.access.database)
  await sql`
    INSERT INTO paid_months (account_id, invoice_id, tier, left_ms, credits) VALUES (${accountId}, ${rows[0]?.id}, 'pro', 3600000, 0)
  `.execute(scene.access.database)
  const client = await StreamClient.open(`${node.url}/v1/stream`, key)
  // The end comes later than its notice, so it is the node that ends the stream.
  await sql`UPDATE accounts SET tier_expires_at = now() + interval '2 s' WHERE id = ${accountId}`.execute(
    scene.access.database,
  )
  expect(await client.untilClosed()).toEqual({ code: 4010, reason: 'tier_changed' })
  expect(client.frames.at(-1)).toMatchObject({ type: 'closing', reconnect: true, retry_after_ms: 1_000 })
  const again = await StreamClient.open(`${node.url}/v1/stream`, key)
  expect(again.frames[0]).toMatchObject({ type: 'welcome', tier: 'pro' })
  const { end } = await scene.access.accessControl.authenticate(key, '10.0.0.1')
  expect(end?.of).toBe('tier')
  await again.close()
})
