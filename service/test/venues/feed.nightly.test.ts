// Nightly: follows simulated sockets in real time.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFeed } from './open-feed.ts'
import { openSimulator, switchOff, switchOn, until } from './open-simulator.ts'

async function scene(rules: Parameters<typeof openFeed>[2] = {}) {
  const simulator = await openSimulator()
  const [hot, other] = [...simulator.world.markets.values()].filter(({ activity }) => activity === 'hot')
  if (hot === undefined || other === undefined) throw new Error('two hot markets')
  const feed = openFeed(simulator, hot.tokenIds, rules)
  await until('first data', () => feed.calls.includes('data'))
  const reconnects = async () => {
    const from = feed.calls.length
    await until('data again', () => feed.calls.slice(from).includes('data'))
  }
  return { simulator, hot, other, feed, reconnects }
}

test('the owner receives opened, data, lost and data again in this order', async () => {
  const { simulator, feed, reconnects } = await scene()
  await switchOn(simulator, { name: 'disconnect', options: { code: 1006 } })
  await reconnects()
  expect(feed.calls).toEqual(['opened', 'data', 'lost disconnected closed with 1006', 'opened', 'data'])
})

test.each([
  ['F64, a clean close', { name: 'disconnect', options: { code: 1000 } }, /^lost disconnected closed with 1000/],
  ['F19, a slow consumer', { name: 'slow-consumer' }, /^lost disconnected closed with 1013: slow consumer/],
] as const)('%s leads to a reconnect with every subscription', async (_, order, expected) => {
  const { simulator, hot, other, feed } = await scene()
  feed.subscriptions.add(other.tokenIds)
  await until('books of the market that was added', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  feed.tokens.clear()
  await switchOn(simulator, order)
  const all = [...hot.tokenIds, ...other.tokenIds]
  await until('all first books again', () => all.every((token) => feed.tokens.has(token)))
  expect(feed.calls.filter((line) => line.startsWith('lost'))).toEqual([expect.stringMatching(expected)])
})

test('F1: pings are answered but no data comes, so the socket is closed', async () => {
  const { simulator, feed, reconnects } = await scene({ silenceLimitMs: 300 })
  const fault = await switchOn(simulator, { name: 'mute', target: { feed: 'polymarket' } })
  await until('silence noticed', () => feed.calls.some((line) => line.startsWith('lost venue_silent')))
  await switchOff(simulator, fault)
  await reconnects()
})

test('a frame above the size limit is not read, and its socket is closed', async () => {
  const simulator = await openSimulator()
  const [hot] = [...simulator.world.markets.values()].filter(({ activity }) => activity === 'hot')
  const feed = openFeed(simulator, hot?.tokenIds ?? [], { maxFrameBytes: 300 })
  await until('the socket is closed', () => feed.calls.some((line) => line.startsWith('lost')))
  expect(feed.calls.slice(0, 2)).toEqual(['opened', expect.stringMatching(/^lost disconnected .*Max payload size/)])
})

test('F2: a half-open connection is detected by the missing pong, and closed', async () => {
  const { simulator, feed, reconnects } = await scene({ silenceLimitMs: 60_000 })
  const fault = await switchOn(simulator, { name: 'half-open', target: { feed: 'polymarket' } })
  await until('missing answer noticed', () => feed.calls.some((line) => line.includes('no answer to a ping')))
  await switchOff(simulator, fault)
  await reconnects()
})

test('F50: a frozen feed counts as silent, and its socket is closed', async () => {
  const { simulator, feed, reconnects } = await scene({ silenceLimitMs: 300 })
  const fault = await switchOn(simulator, { name: 'freeze', target: { feed: 'polymarket' } })
  await until('silence noticed', () => feed.calls.some((line) => line.startsWith('lost venue_silent')))
  await switchOff(simulator, fault)
  await reconnects()
})

test('F22: after 429 the reconnect waits for the time in Retry-After', async () => {
  const { simulator, feed, reconnects } = await scene()
  await switchOn(simulator, { name: 'refuse-upgrade', times: 2, options: { status: 429 } })
  const fromMs = performance.now()
  await switchOn(simulator, { name: 'disconnect' })
  await reconnects()
  const refused = feed.calls.filter((line) => line === 'refused refused with 429')
  expect(refused).toHaveLength(2)
  expect(performance.now() - fromMs).toBeGreaterThan(2_000)
})

test('F20: a removed market is unsubscribed, and not subscribed again after a reconnect', async () => {
  const { simulator, hot, other, feed, reconnects } = await scene()
  feed.subscriptions.add(other.tokenIds)
  await until('books of both', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  feed.subscriptions.remove(hot.tokenIds)
  feed.tokens.clear()
  await switchOn(simulator, { name: 'disconnect' })
  await reconnects()
  await until('first books', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  expect(hot.tokenIds.some((token) => feed.tokens.has(token))).toBe(false)
})

test('F21: a refresh pauses between unsubscribe and subscribe, and brings whole books over the same socket', async () => {
  const { hot, feed } = await scene()
  feed.tokens.clear()
  feed.sent.length = 0
  feed.subscriptions.refresh(hot.tokenIds)
  await until('books again', () => hot.tokenIds.every((token) => feed.tokens.has(token)))
  expect(feed.calls.filter((line) => line === 'opened')).toHaveLength(1)
  const [unsubscribed, subscribed] = feed.sent
  expect([unsubscribed?.kind, subscribed?.kind, feed.sent.length]).toEqual(['unsubscribe', 'subscribe', 2])
  expect((subscribed?.atMs ?? 0) - (unsubscribed?.atMs ?? 0)).toBeGreaterThanOrEqual(240)
})

test('NO NEW ASSETS after a refresh means that the pause was too short; the refresh is sent again after a longer one', async () => {
  const { hot, feed } = await scene()
  feed.tokens.clear()
  feed.sent.length = 0
  feed.loseNextUnsubscribe()
  feed.subscriptions.refresh(hot.tokenIds)
  await until('books again', () => hot.tokenIds.every((token) => feed.tokens.has(token)))
  await until('both refreshes', () => feed.sent.length === 4)
  expect(feed.calls).toContain('noticed NO NEW ASSETS')
  const [, , unsubscribed, subscribed] = feed.sent
  expect((subscribed?.atMs ?? 0) - (unsubscribed?.atMs ?? 0)).toBeGreaterThanOrEqual(490)
  expect(feed.calls.filter((line) => line === 'opened')).toHaveLength(1)
})

test('a market that is removed during the pause is not subscribed again', async () => {
  const { hot, other, feed } = await scene()
  feed.subscriptions.add(other.tokenIds)
  await until('books of both', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  feed.subscriptions.refresh(hot.tokenIds)
  feed.subscriptions.remove(hot.tokenIds)
  feed.sent.length = 0
  feed.subscriptions.refresh(other.tokenIds)
  await until('the later refresh', () => feed.sent.some(({ kind }) => kind === 'subscribe'))
  expect(feed.sent.flatMap(({ kind, ids }) => (kind === 'subscribe' ? ids : []))).toEqual(other.tokenIds)
})

test('the last minute can be written to a file, frame by frame', async () => {
  const { feed } = await scene()
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-ring-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await feed.ring.dump(join(folder, 'frames.jsonl'))
  const [first] = (await readFile(join(folder, 'frames.jsonl'), 'utf8')).split('\n')
  expect(JSON.parse(JSON.parse(first ?? '').text)).toMatchObject([{ event_type: 'book' }, { event_type: 'book' }])
})

test('at the signal the feed ends and calls the owner no more', async () => {
  const { feed } = await scene()
  feed.stop.abort()
  await feed.ended
  expect(feed.calls).toEqual(['opened', 'data'])
})
