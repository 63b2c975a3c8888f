// Nightly: starts a cluster of six Redis servers and kills some.
// Covers: service/src/stores/engines/
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import { engineUsers, settingsFor } from '@bookreel/testbed/stacks/test-logins'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { AccessMarks } from '../../src/stores/accounts/access-marks.ts'
import { RateLimits } from '../../src/stores/accounts/rate-limits.ts'
import { SessionStore, type StoredSession } from '../../src/stores/accounts/sessions.ts'
import { WsLeases } from '../../src/stores/accounts/ws-leases.ts'
import { NewestRows } from '../../src/stores/books/newest-rows.ts'
import { RedisConnection, RedisUnavailable } from '../../src/stores/engines/redis-connection.ts'
import { marketIdOf, rowOf } from '../newest-rows/snapshot-rows.ts'
import { untilReady } from '../newest-rows/until-ready.ts'

const NODES = ['redis', 'redis-2', 'redis-3'] as const
const HOUR_MS = 3_600_000

let stack: Stack
let api: RedisConnection
let hot: RedisConnection
const troubles: Error[] = []

beforeAll(async () => {
  stack = await startStack({ engines: ['redis'], redisNodes: NODES.length, users: engineUsers() })
  const variables = { ...stack.variables, DATABASE_URL: 'postgres://unused' }
  const open = (name: 'api' | 'hot') =>
    new RedisConnection({
      url: settingsFor({ variables }, name).REDIS_URL,
      answerWithinMs: 2_000,
      onTrouble: (error) => troubles.push(error),
    })
  api = open('api')
  hot = open('hot')
  await Promise.all([untilReady(api), untilReady(hot)])
})
afterAll(async () => {
  await api?.close()
  await hot?.close()
  await stack?.stop()
})

const accounts = Array.from({ length: 60 }, (_, index) => `account-${index}`)
const rules = { rpm: 60, burst: 5 }

/** As the owner, on one node. */
async function onNode(index: number, command: readonly string[]): Promise<unknown> {
  const [url] = stack.variable('REDIS_URL').split(',').slice(index)
  const client = await createClient({ url: url ?? '' }).connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

async function isAnswered(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call()
    return true
  } catch (error) {
    if (error instanceof RedisUnavailable) return false
    throw error
  }
}

test('keys are spread over all nodes', async () => {
  const rows = new NewestRows(hot)
  await rows.put(accounts.map((name) => rowOf(marketIdOf(name), 1)))
  for (const index of NODES.keys()) expect(await onNode(index, ['DBSIZE'])).toBeGreaterThan(0)
})

test('calls of many accounts at once: each has its own limit, and a revoked key is refused', async () => {
  const limits = new RateLimits(api)
  const calls = accounts.flatMap((account) => Array.from({ length: 8 }, () => account))
  const verdicts = await Promise.all(
    calls.map((account) =>
      limits.take({ accountId: account, keyId: 'key', isConsole: false, day: '2026-10-14' }, rules),
    ),
  )
  for (const account of accounts) {
    const allowed = verdicts.filter((verdict, index) => {
      return calls[index] === account && verdict !== 'revoked' && verdict.isAllowed
    })
    expect(allowed.length).toBeGreaterThanOrEqual(5)
    // One more for each second that the calls took.
    expect(allowed.length).toBeLessThan(8)
  }
  await limits.markRevoked('account-1', 'key')
  expect(await limits.take({ accountId: 'account-1', keyId: 'key', isConsole: false, day: '2026-10-14' }, rules)).toBe(
    'revoked',
  )
  expect(
    await limits.take({ accountId: 'account-2', keyId: 'key', isConsole: false, day: '2026-10-14' }, rules),
  ).not.toBe('revoked')
})

test('marks of keys and accounts are found, and no others', async () => {
  const marks = new AccessMarks(api)
  await new RateLimits(api).markRevoked('account-3', 'k3')
  await marks.markChanged('account-4')
  const marked = await marks.marked([
    { keyId: 'k3', accountId: 'account-3' },
    { keyId: 'k4', accountId: 'account-4' },
    { keyId: 'k5', accountId: 'account-5' },
  ])
  expect([...marked.revokedKeyIds]).toEqual(['k3'])
  expect([...marked.changedAgoMs.keys()]).toEqual(['account-4'])
})

test('sessions of an account begin, end and end together, without those of another', async () => {
  const store = new SessionStore(api)
  const sessionOf = (accountId: string): StoredSession => ({ accountId, idToken: 't', beganAtMs: 1, usedAtMs: 1 })
  for (const hash of ['a', 'b', 'c']) await store.insert(hash, sessionOf('account-6'), HOUR_MS, HOUR_MS)
  await store.insert('d', sessionOf('account-7'), HOUR_MS, HOUR_MS)
  expect(await store.find('a')).toEqual(sessionOf('account-6'))
  await store.delete('a', 'account-6')
  expect(await store.find('a')).toBeUndefined()
  expect(await store.deleteAll('account-6')).toBe(2)
  await store.update('b', sessionOf('account-6'), HOUR_MS)
  expect(await store.find('b')).toBeUndefined()
  expect(await store.find('d')).toEqual(sessionOf('account-7'))
  expect([await store.noteSpent('s', HOUR_MS), await store.noteSpent('s', HOUR_MS)]).toEqual([true, false])
})

test('an account holds at most its leases', async () => {
  const leases = new WsLeases(api)
  const held = await Promise.all(['1', '2', '3'].map((connection) => leases.hold('account-8', connection, 2)))
  expect(held.filter(Boolean)).toHaveLength(2)
  expect(await leases.hold('account-9', '1', 2)).toBe(true)
})

test('a slot that moves to another node is found there, and no caller sees the redirection', async () => {
  const rows = new NewestRows(hot)
  const ids = accounts.map((name) => marketIdOf(`moved ${name}`))
  await rows.put(ids.map((id) => rowOf(id, 1)))
  const nodeIds = (await Promise.all(NODES.map((_, index) => onNode(index, ['CLUSTER', 'MYID'])))) as string[]
  // A third of all slots: those of the first node, which then has none. Its rows are written again.
  for (let slot = 0; slot <= 5_460; slot += 1_000) {
    await onNode(0, ['FLUSHALL', 'SYNC'])
    const end = Math.min(slot + 999, 5_460)
    for (const index of NODES.keys()) await moveSlots(index, slot, end, nodeIds[1] ?? '')
  }
  await rows.put(ids.map((id) => rowOf(id, 2)))
  const found = await new NewestRows(api).readMany(ids)
  expect([...found.values()].map(([row]) => row?.slot)).toEqual(ids.map(() => 2))
})

async function moveSlots(index: number, from: number, to: number, nodeId: string): Promise<void> {
  const [url] = stack.variable('REDIS_URL').split(',').slice(index)
  const client = await createClient({ url: url ?? '' }).connect()
  try {
    const slots = Array.from({ length: to - from + 1 }, (_, step) => String(from + step))
    await Promise.all(slots.map((slot) => client.sendCommand(['CLUSTER', 'SETSLOT', slot, 'NODE', nodeId])))
  } finally {
    client.destroy()
  }
}

test('a node that hangs delays only its own keys; a node that was killed is used again after its restart', async () => {
  const leases = new WsLeases(api)
  const hold = (account: string) => isAnswered(() => leases.hold(account, 'c', 1))
  await stack.engine('redis-3').pause()
  const answered = await Promise.all(accounts.map(hold))
  expect(answered).toContain(true)
  expect(answered).toContain(false)
  const again = await Promise.all(accounts.filter((_, index) => answered[index]).map(hold))
  expect(again).not.toContain(false)
  await stack.engine('redis-3').kill()
  await stack.engine('redis-3').restart()
  await vi.waitUntil(async () => (await Promise.all(accounts.map(hold))).every(Boolean), { timeout: 120_000 })
})

test('no error of the cluster reached a caller', () => {
  expect(troubles.filter(({ message }) => /CROSSSLOT|MOVED|ASK|NOPERM/.test(message))).toEqual([])
})
