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
  await until('first data', () => feed.told.includes('data'))
  const comesBack = async () => {
    const from = feed.told.length
    await until('data again', () => feed.told.slice(from).includes('data'))
  }
  return { simulator, hot, other, feed, comesBack }
}

test('opened, data, lost and data again are told in this order', async () => {
  const { simulator, feed, comesBack } = await scene()
  await switchOn(simulator, { name: 'disconnect', options: { code: 1006 } })
  await comesBack()
  expect(feed.told).toEqual(['opened', 'data', 'lost disconnected closed with 1006', 'opened', 'data'])
})

test.each([
  ['F64, a clean close', { name: 'disconnect', options: { code: 1000 } }, /^lost disconnected closed with 1000/],
  ['F19, a slow consumer', { name: 'slow-consumer' }, /^lost disconnected closed with 1013: slow consumer/],
] as const)('%s is a reason to come back, with every subscription', async (_, order, said) => {
  const { simulator, hot, other, feed } = await scene()
  feed.wanted.add(other.tokenIds)
  await until('books of the market that was added', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  feed.tokens.clear()
  await switchOn(simulator, order)
  const all = [...hot.tokenIds, ...other.tokenIds]
  await until('all first books again', () => all.every((token) => feed.tokens.has(token)))
  expect(feed.told.filter((line) => line.startsWith('lost'))).toEqual([expect.stringMatching(said)])
})

test('F1: pings are answered but no data comes, so the socket is cut', async () => {
  const { simulator, feed, comesBack } = await scene({ silenceLimitMs: 300 })
  const fault = await switchOn(simulator, { name: 'mute', target: { feed: 'polymarket' } })
  await until('silence noticed', () => feed.told.some((line) => line.startsWith('lost venue_silent')))
  await switchOff(simulator, fault)
  await comesBack()
})

test('F2: a half-open line is noticed by the missing answer, and cut by us', async () => {
  const { simulator, feed, comesBack } = await scene({ silenceLimitMs: 60_000 })
  const fault = await switchOn(simulator, { name: 'half-open', target: { feed: 'polymarket' } })
  await until('missing answer noticed', () => feed.told.some((line) => line.includes('no answer to a ping')))
  await switchOff(simulator, fault)
  await comesBack()
})

test('F50: a freeze is silence; what was frozen belongs to a socket that is gone', async () => {
  const { simulator, feed, comesBack } = await scene({ silenceLimitMs: 300 })
  const fault = await switchOn(simulator, { name: 'freeze', target: { feed: 'polymarket' } })
  await until('silence noticed', () => feed.told.some((line) => line.startsWith('lost venue_silent')))
  await switchOff(simulator, fault)
  await comesBack()
})

test('F22: 429 is waited out as long as the venue asks', async () => {
  const { simulator, feed, comesBack } = await scene()
  await switchOn(simulator, { name: 'refuse-upgrade', times: 2, options: { status: 429 } })
  const fromMs = performance.now()
  await switchOn(simulator, { name: 'disconnect' })
  await comesBack()
  const refused = feed.told.filter((line) => line === 'refused refused with 429')
  expect(refused).toHaveLength(2)
  expect(performance.now() - fromMs).toBeGreaterThan(2_000)
})

test('F23: an owner who sees that a later subscription does nothing can begin anew', async () => {
  const { simulator, hot, other, feed } = await scene()
  await switchOn(simulator, { name: 'ignore-later-subscribes' })
  feed.wanted.add(other.tokenIds)
  feed.tokens.clear()
  feed.wanted.restart('no first book')
  const all = [...hot.tokenIds, ...other.tokenIds]
  await until('all first books in the first frame', () => all.every((token) => feed.tokens.has(token)))
  expect(feed.told).toContain('lost resync no first book')
})

test('F20: what is no longer wanted is unsubscribed, and not asked for again', async () => {
  const { simulator, hot, other, feed, comesBack } = await scene()
  feed.wanted.add(other.tokenIds)
  await until('books of both', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  feed.wanted.remove(hot.tokenIds)
  feed.tokens.clear()
  await switchOn(simulator, { name: 'disconnect' })
  await comesBack()
  await until('first books', () => other.tokenIds.every((token) => feed.tokens.has(token)))
  expect(hot.tokenIds.some((token) => feed.tokens.has(token))).toBe(false)
})

test('F21: a refresh brings whole books over the same socket', async () => {
  const { hot, feed } = await scene()
  feed.tokens.clear()
  feed.wanted.refresh(hot.tokenIds)
  await until('books again', () => hot.tokenIds.every((token) => feed.tokens.has(token)))
  expect(feed.told.filter((line) => line === 'opened')).toHaveLength(1)
})

test('the last minute can be written to a file, frame by frame', async () => {
  const { feed } = await scene()
  const folder = await mkdtemp(join(tmpdir(), 'bookreel-ring-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await feed.ring.dump(join(folder, 'frames.jsonl'))
  const [first] = (await readFile(join(folder, 'frames.jsonl'), 'utf8')).split('\n')
  expect(JSON.parse(JSON.parse(first ?? '').text)).toMatchObject([{ event_type: 'book' }, { event_type: 'book' }])
})

test('at the signal it ends, and says nothing more', async () => {
  const { feed } = await scene()
  feed.stop.abort()
  await feed.ended
  expect(feed.told).toEqual(['opened', 'data'])
})
