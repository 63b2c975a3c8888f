// Nightly: measures in seconds when a revocation arrives.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import { runRevocations } from '../../src/access/revocations.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { RateLimits } from '../../src/stores/accounts/rate-limits.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { report } from '../faults/report.ts'
import { AccessScene } from './access-scene.ts'
import { StoreLine } from './store-line.ts'

const IP = '10.0.0.1'
const ASK_EVERY_MS = 10
const GIVE_UP_MS = 120_000

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open({ redisAnswersWithinMs: 250 })
})
afterAll(() => scene[Symbol.asyncDispose]())
afterEach(() => {
  scene.aheadMs = 0
})

/** A node with its own connections to both stores, that listens for revocations over a third. */
async function openNode() {
  await using opened = new AsyncDisposableStack()
  const [postgres, redisLine, listening] = await Promise.all([
    StoreLine.to(scene.stack.variable('DATABASE_URL')),
    StoreLine.to(scene.stack.variable('REDIS_URL')),
    StoreLine.to(scene.stack.variable('DATABASE_URL')),
  ])
  for (const line of [postgres, redisLine, listening]) opened.use(line)
  const database = openDatabase({ url: postgres.url, answerWithinMs: 10_000 })
  opened.defer(() => database.destroy())
  const redis = opened.use(new RedisConnection({ url: redisLine.url, answerWithinMs: 250 }))
  await scene.untilRedisReady(redis)
  const accessControl = scene.newAccessControl({
    keys: new Keys(database),
    ledger: new CreditLedger(database),
    rateLimits: new RateLimits(redis),
  })
  let isListening = false
  accessControl.onChange(() => {
    isListening = true
  })
  const stop = new AbortController()
  const running = runRevocations(
    { databaseUrl: listening.url, accessControl, marks: new AccessMarks(redis), onTrouble: () => {} },
    stop.signal,
  )
  opened.defer(async () => {
    stop.abort()
    await running
  })
  await vi.waitUntil(() => isListening, { timeout: 120_000 })
  const all = opened.move()
  return { accessControl, postgres, redisLine, listening, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function isLetIn(accessControl: AccessControl, key: string): Promise<boolean> {
  return accessControl
    .authenticate(key, IP)
    .then((caller) => accessControl.admit(caller))
    .then(
      () => true,
      () => false,
    )
}

/** Revokes a key on another node while requests to this node continue. Returns when one was last admitted; 0 for never. */
async function lastLetIn(accessControl: AccessControl, key: string, keyId: string, stepMs = 0): Promise<number> {
  const clockMs = (): number => performance.now() + scene.aheadMs
  expect(await isLetIn(accessControl, key)).toBe(true)
  expect(await revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, keyId)).toBe(true)
  const revokedAtMs = clockMs()
  for (let lastMs = 0; ; ) {
    const askedAtMs = clockMs() - revokedAtMs
    if (!(await isLetIn(accessControl, key)) || askedAtMs > GIVE_UP_MS) return lastMs
    lastMs = askedAtMs
    scene.aheadMs += stepMs
    await sleep(ASK_EVERY_MS)
  }
}

type Cut = (node: Awaited<ReturnType<typeof openNode>>) => void

test.each<[state: string, withinMs: number, stepMs: number, cut: Cut]>([
  ['everything is reachable: the next request', 0, 0, () => {}],
  ['nobody tells it (LISTEN is broken): the next request, by Redis', 0, 0, ({ listening }) => listening.cut()],
  ['it has lost Redis: as soon as it is notified', 1_000, 0, ({ redisLine }) => redisLine.cut()],
  [
    'it has lost Redis and nobody tells it: when its memory is five seconds old',
    5_000,
    0,
    ({ redisLine, listening }) => {
      redisLine.cut()
      listening.cut()
    },
  ],
  [
    'it is cut off from both stores: after a minute of grace',
    60_000,
    500,
    ({ redisLine, listening, postgres }) => {
      redisLine.cut()
      listening.cut()
      postgres.cut()
    },
  ],
])('a revoked key is refused by a node when %s', async (state, withinMs, stepMs, cut) => {
  // Made before the node listens: a notice of the new key would let it remember nothing.
  const { key, stored } = await scene.newKey((await scene.newAccount('enterprise')).id)
  await using node = await openNode()
  expect(await isLetIn(node.accessControl, key)).toBe(true)
  cut(node)
  const tookMs = await lastLetIn(node.accessControl, key, stored.id, stepMs)
  report(`a revoked key was last let in, in ms, when ${state}`, Math.round(tookMs))
  expect(tookMs).toBeLessThanOrEqual(withinMs)
})
