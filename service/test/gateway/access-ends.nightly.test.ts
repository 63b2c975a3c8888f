// Nightly: kills engines and measures in seconds when a change arrives.
// Covers: service/src/gateway/ service/src/access/
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { EngineKind } from '@bookreel/stack/engines/engine'
import { COMPILE_CACHE } from '@bookreel/testbed/compile-cache'
import { freePort } from '@bookreel/testbed/free-port'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { type IssuedAccount, PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { issueKey } from '../../src/access/issue-key.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import type { Tier } from '../../src/domain/tier.ts'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { report } from '../faults/report.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { rowsAt, slotNow } from './published-rows.ts'
import { StreamClient } from './stream-client.ts'

/** A change must arrive within 10 s; a busy machine may add to that. */
const SOON_MS = 20_000
/** Without an answer of PostgreSQL an end is only as exact as the last answer was fast. */
const EARLY_MS = 2_000
const REPLAYED_SLOTS = 400

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

let scene: GatewayScene
let node: Node
const it = madeMarket('access ends')
let firstSlot = 0

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  await scene.list(it)
  firstSlot = slotNow(it) - REPLAYED_SLOTS
  await scene.storeOnly({ rows: rowsAt(it, firstSlot, firstSlot + REPLAYED_SLOTS) })
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

const streamAt = ({ url }: Node): string => `${url}/v1/stream`

/**
 * Makes a change of an account until a node has passed it on, so that later streams are newer than the change. While
 * connections to PostgreSQL are opened again, a change is noticed by checks only.
 */
async function passedOn<T>(accountOf: (made: T) => string, change: () => Promise<T>): Promise<T> {
  const marks = new AccessMarks(scene.stores.redis)
  return vi.waitFor(
    async () => {
      const sinceMs = Date.now()
      const made = await change()
      const accountId = accountOf(made)
      const isKnown = async () => {
        const { changedAgoMs } = await marks.marked([{ keyId: randomUUID(), accountId }])
        return (changedAgoMs.get(accountId) ?? Infinity) <= Date.now() - sinceMs
      }
      await vi.waitUntil(isKnown, { timeout: 5_000, interval: 20 })
      return made
    },
    { timeout: 120_000 },
  )
}

function newKey(tier: Tier): Promise<IssuedAccount> {
  return passedOn(
    ({ accountId }) => accountId,
    () => scene.key(tier),
  )
}

async function subscribed(key: string, at = node): Promise<StreamClient> {
  const client = await StreamClient.open(streamAt(at), key)
  expect((await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })).accepted).toHaveLength(1)
  return client
}

/** A replay at the speed of the market, which takes longer than the test. */
async function replaying(key: string): Promise<StreamClient> {
  const client = await StreamClient.open(streamAt(node), key)
  const from = firstSlot * it.captureIntervalMs
  const to = from + REPLAYED_SLOTS * it.captureIntervalMs
  const ack = await client.ask({ op: 'replay', selectors: [{ market: it.id }], channels: ['book'], from, to, speed: 1 })
  expect(ack.replay.rows).toBeGreaterThan(REPLAYED_SLOTS / 2)
  return client
}

async function simple(key: string): Promise<StreamClient> {
  const client = new StreamClient(`${node.url}/ws/orderbook`, { key, isSimple: true })
  await client.until(({ type, status }) => type === 'auth' && status === 'ok')
  return client
}

/** Resolves when notifications of PostgreSQL arrive again. */
function untilListening(): Promise<void> {
  return new Promise((resolve) => {
    const leave = scene.access.accessControl.onChange(({ kind }) => {
      if (kind !== 'anything') return
      leave()
      resolve()
    })
  })
}

function isLetIn(key: string): Promise<boolean> {
  const socket = new WebSocket(streamAt(node), { headers: { 'x-api-key': key } })
  return new Promise((resolve) => {
    socket.on('error', () => resolve(false))
    socket.once('open', () => {
      socket.close()
      resolve(true)
    })
  })
}

interface Ending {
  readonly endsAtMs: number
  readonly expiring: string
  readonly lapsing: string
  readonly clients: readonly StreamClient[]
}

/** Streams and replays of a key that expires, and of a tier that lapses, at the same time. */
async function openEnding(inMs: number): Promise<Ending> {
  const endsAtMs = Date.now() + inMs
  const expiring = await newKey('scale')
  const expiringAccount = { accountId: expiring.accountId, label: 'expires', expiresAtMs: endsAtMs }
  const expires = await issueKey(scene.access, expiringAccount)
  const lapsing = await newKey('scale')
  const lapse = { tier: 'scale', expiresAtMs: endsAtMs, monthlyCredits: 0 } as const
  await passedOn(
    () => lapsing.accountId,
    () => scene.access.accounts.setTier(lapsing.accountId, lapse),
  )
  const open = [expires.key, lapsing.key].flatMap((key) => [subscribed(key), replaying(key), simple(key)])
  const opened = await Promise.allSettled(open)
  const clients = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (clients.length === open.length && clients.every(({ closed }) => closed === undefined)) {
    return { endsAtMs, expiring: expires.key, lapsing: lapsing.key, clients }
  }
  // The machine was too slow.
  await Promise.all(clients.map((client) => client.close()))
  return openEnding(inMs * 2)
}

const DOWN: readonly (readonly [EngineKind | 'nothing', 'kill' | 'pause'])[] = [
  ['nothing', 'kill'],
  ['redis', 'kill'],
  ['nats', 'kill'],
  ['clickhouse', 'kill'],
  ['postgres', 'kill'],
  ['postgres', 'pause'],
]

test.each(DOWN)(
  'streams and replays end with their key and tier, and changes arrive, with %s down (%s)',
  async (down, how) => {
    const before = await newKey('scale')
    // The node waits a moment before it asks a store again that was down.
    await vi.waitUntil(() => isLetIn(before.key), { timeout: 120_000, interval: 200 })
    const [revoked, moved, stays] = await Promise.all([newKey('pro'), newKey('scale'), newKey('pro')])
    const [first, second, third] = await Promise.all([revoked, moved, stays].map(({ key }) => subscribed(key)))
    if (!first || !second || !third) throw new Error('three clients')
    const { endsAtMs, expiring, lapsing, clients } = await openEnding(4_000)
    let isDown = down !== 'nothing'
    if (down !== 'nothing') await scene.stack.engine(down)[how]()
    const bringBack = async (): Promise<void> => {
      if (down === 'nothing' || !isDown) return
      isDown = false
      const listening = down === 'postgres' ? untilListening() : Promise.resolve()
      await scene.stack.engine(down).restart()
      await listening
      await scene.access.untilRedisReady()
      await vi.waitUntil(() => scene.stores.redis.isReady, { timeout: 120_000 })
    }
    try {
      const late = await Promise.all(
        clients.map(async (client) => {
          await client.untilClosed()
          return Date.now() - endsAtMs
        }),
      )
      report(`streams ended after their key or tier, in ms, with ${down} down (${how})`, Math.max(...late))
      expect(Math.min(...late)).toBeGreaterThan(-EARLY_MS)
      expect(Math.max(...late)).toBeLessThan(SOON_MS)
      expect(clients.map(({ closed }) => closed?.code)).toEqual(Array.from({ length: 6 }, () => 4003))
      const [ofKey, , , ofTier] = clients.map(({ frames }) => frames.at(-1))
      expect(ofKey).toMatchObject({ type: 'closing', code: 'unauthenticated', reconnect: false })
      expect(ofTier).toMatchObject({ type: 'closing', code: 'tier_not_allowed', reconnect: false })
      const asked = await Promise.all(
        [expiring, lapsing].map((key) => scene.service.ask('/v1/markets/live?format=csv', { key })),
      )
      expect(asked.map(({ status }) => status)).toEqual(down === 'postgres' ? [503, 503] : [401, 403])

      if (down === 'postgres') await bringBack()
      const revoke = () => revokeKey(scene.access, revoked.keyId)
      await vi.waitUntil(() => revoke().catch(() => false), { timeout: 120_000 })
      const revokedAtMs = Date.now()
      await scene.access.accounts.setTier(moved.accountId, { tier: 'pro', monthlyCredits: 0 })
      expect((await first.untilClosed()).code).toBe(4003)
      expect((await second.untilClosed()).code).toBe(4010)
      const tookMs = Date.now() - revokedAtMs
      report(`changes reached open streams, in ms, with ${down} down (${how})`, tookMs)
      expect(tookMs).toBeLessThan(SOON_MS)
      expect(await third.ask({ op: 'ping' })).toMatchObject({ type: 'pong' })
    } finally {
      await bringBack()
      await third.close()
    }
  },
)

test('the connections of a killed node are free within 10 s', async () => {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const settings = { KEY_PEPPER: scene.config.KEY_PEPPER ?? '', PUBLIC_URL, METRICS_PORT: String(metricsPort) }
  const child = spawn(process.execPath, [MAIN, 'run', 'gateway'], {
    env: { ...COMPILE_CACHE, ...scene.stack.variables, ...settings, GATEWAY_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  try {
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    await vi.waitUntil(isUp, { timeout: 120_000, interval: 100 })
    const { key } = await scene.key('pro')
    const lost = await StreamClient.open(`ws://127.0.0.1:${port}/v1/stream`, key)
    child.kill('SIGKILL')
    await lost.untilClosed()
    const killedAtMs = Date.now()
    await vi.waitUntil(() => isLetIn(key), { timeout: 120_000, interval: 100 })
    const tookMs = Date.now() - killedAtMs
    report('connections of a killed node were free again, in ms', tookMs)
    expect(tookMs).toBeLessThan(SOON_MS)
  } finally {
    child.kill('SIGKILL')
  }
})
