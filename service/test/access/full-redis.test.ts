import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SessionStore } from '../../src/stores/accounts/sessions.ts'
import { sendFor } from '../../src/stores/engines/redis-client.ts'
import { AccessScene } from './access-scene.ts'

const MINUTE_MS = 60_000
/** What the test may fill, so that it takes a moment. */
const SPARE_BYTES = 8_000_000
const RATE = { rpm: 60, burst: 60 }

let scene: AccessScene
beforeAll(async () => {
  scene = await AccessScene.open()
})
afterAll(async () => {
  await command('CONFIG', 'SET', 'maxmemory', '1gb')
  await scene[Symbol.asyncDispose]()
})

function command(...words: string[]): Promise<unknown> {
  return scene.redis.ask((client) => sendFor(client, 'any', words))
}

async function figure(section: string, name: string): Promise<number> {
  return Number(new RegExp(`${name}:(\\d+)`).exec(String(await command('INFO', section)))?.[1])
}

/** Writes keys that end after this time until Redis has dropped some. */
async function fill(forMs: number): Promise<void> {
  const before = await figure('stats', 'evicted_keys')
  const value = 'x'.repeat(32_000)
  for (let key = 0; (await figure('stats', 'evicted_keys')) < before + 50; key++)
    await command('SET', `public:${forMs}:${key}`, value, 'PX', String(forMs))
}

test('a full Redis drops what ends within a minute before sessions, and marks of revoked keys last', async () => {
  const [accountId, keyId, hash] = [randomUUID(), randomUUID(), 'a hash']
  await command('CONFIG', 'SET', 'maxmemory', String((await figure('memory', 'used_memory')) + SPARE_BYTES))
  const sessions = new SessionStore(scene.redis)
  const session = { accountId, idToken: 'token', beganAtMs: 0, usedAtMs: 0 }
  await sessions.insert(hash, session, 30 * MINUTE_MS, 720 * MINUTE_MS)
  await scene.rateLimits.markRevoked(accountId, keyId)
  await fill(MINUTE_MS)
  expect(await sessions.find(hash)).toEqual(session)
  await fill(60 * MINUTE_MS)
  expect(await scene.rateLimits.take({ accountId, keyId, isConsole: false, day: '2026-10-14' }, RATE)).toBe('revoked')
})
