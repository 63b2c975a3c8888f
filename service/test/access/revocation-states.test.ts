import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AccessControl } from '../../src/access/access-control.ts'
import { runRevocations } from '../../src/access/revocations.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { Keys } from '../../src/stores/accounts/keys.ts'
import { RateLimits } from '../../src/stores/accounts/rate-limits.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { CreditLedger } from '../../src/stores/money/credit-ledger.ts'
import { AccessScene } from './access-scene.ts'
import { StoreLine } from './store-line.ts'

const ANSWER_WITHIN_MS = 60_000

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** A node with its own connections to both stores, that listens for revocations over a third. Its clock stands still. */
async function openNode() {
  await using opened = new AsyncDisposableStack()
  const open = async (variable: string) => opened.use(await StoreLine.to(scene.stack.variable(variable)))
  const lines = {
    postgres: await open('DATABASE_URL'),
    redis: await open('REDIS_URL'),
    notices: await open('DATABASE_URL'),
  }
  const database = openDatabase({ url: lines.postgres.url, answerWithinMs: ANSWER_WITHIN_MS })
  opened.defer(() => database.destroy())
  const redis = opened.use(new RedisConnection({ url: lines.redis.url, answerWithinMs: ANSWER_WITHIN_MS }))
  await scene.untilRedisReady(redis)
  const clock = { nowMs: 0 }
  const accessControl = scene.newAccessControl({
    keys: new Keys(database),
    ledger: new CreditLedger(database),
    rateLimits: new RateLimits(redis),
    nowMs: () => clock.nowMs,
  })
  let isListening = false
  accessControl.onChange(() => {
    isListening = true
  })
  const stop = new AbortController()
  const running = runRevocations(
    { databaseUrl: lines.notices.url, accessControl, marks: new AccessMarks(redis), onTrouble: () => {} },
    stop.signal,
  )
  opened.defer(async () => {
    stop.abort()
    await running
  })
  await vi.waitUntil(() => isListening, { timeout: 120_000 })
  const all = opened.move()
  return { accessControl, clock, lines, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** `let in`, or the code of the refusal. */
function answerTo(accessControl: AccessControl, key: string): Promise<string> {
  return accessControl
    .authenticate(key, '10.0.0.1')
    .then((caller) => accessControl.admit(caller))
    .then(
      () => 'let in',
      ({ code }) => code,
    )
}

type Line = 'postgres' | 'redis' | 'notices'

test.each<[state: string, cut: readonly Line[], lastLetInMs: number | undefined, refusal: string]>([
  ['everything is reachable: the next request', [], undefined, 'unauthenticated'],
  ['nobody tells it (LISTEN is broken): the next request, by Redis', ['notices'], undefined, 'unauthenticated'],
  ['it has lost Redis and nobody tells it: after 5 s', ['redis', 'notices'], 4_999, 'unauthenticated'],
  ['it is cut off from both: after 60 s', ['redis', 'notices', 'postgres'], 59_999, 'store_unavailable'],
])('a revoked key is refused by a node when %s', async (_, cut, lastLetInMs, refusal) => {
  // Made before the node listens: a notice of the new key would let it remember nothing.
  const { key, stored } = await scene.newKey((await scene.newAccount('enterprise')).id)
  await using node = await openNode()
  const answer = () => answerTo(node.accessControl, key)
  expect(await answer()).toBe('let in')
  for (const line of cut) node.lines[line].cut()
  await revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, stored.id)
  if (lastLetInMs !== undefined) {
    node.clock.nowMs = lastLetInMs
    expect(await answer()).toBe('let in')
    node.clock.nowMs += 1
  }
  expect(await answer()).toBe(refusal)
})

test('a revoked key is refused by a node that has lost Redis as soon as it is notified', async () => {
  const { key, stored } = await scene.newKey((await scene.newAccount('enterprise')).id)
  await using node = await openNode()
  expect(await answerTo(node.accessControl, key)).toBe('let in')
  node.lines.redis.cut()
  await revokeKey({ keys: scene.keys, rateLimits: scene.rateLimits, onTrouble: () => {} }, stored.id)
  await expect.poll(() => answerTo(node.accessControl, key)).toBe('unauthenticated')
})
