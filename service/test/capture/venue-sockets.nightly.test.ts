// Nightly: a recorder follows simulated sockets in real time.
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { openFeed } from '../venues/open-feed.ts'
import { openSimulator, switchOff, switchOn, until } from '../venues/open-simulator.ts'
import { socketScene } from './socket-scene.ts'

const LIMIT_MS = 60_000
/** As one that is not a window, so that several busy markets share a socket. */
const SHARED: Partial<Market> = { category: 'sports', timeframe: 'game' }
const isHot = ({ activity, phase }: WorldMarket): boolean => activity === 'hot' && phase === 'trading'

/** A few busy markets on one socket, all proved. */
async function sharedSocket(limits: Parameters<typeof socketScene>[1] = {}) {
  const simulator = await openSimulator({ size: { hot: 4, medium: 4, cold: 6 } })
  const scene = socketScene(simulator, { ...limits, changed: SHARED })
  const markets = scene.follow(isHot)
  await until('books', () => markets.every(scene.isProved), LIMIT_MS)
  const [connection] = await scene.connections()
  if (connection === undefined || scene.opened.length !== 1) throw new Error('not one socket')
  return { ...scene, simulator, markets, connection: connection.id }
}

test('every BTC and ETH window of 5 and 15 minutes has its own socket before it opens, and later ones share', async () => {
  const simulator = await openSimulator({ size: { hot: 8, medium: 8, cold: 40 } })
  const { follow, opened, isProved, nowMs } = socketScene(simulator)
  const markets = follow(({ phase }) => phase === 'trading')
  await until('books', () => markets.every(isProved), LIMIT_MS)
  const busy = markets.filter(
    ({ subcategory, timeframe, startsAtMs = 0 }) =>
      ['BTC', 'ETH'].includes(subcategory) && ['5m', '15m'].includes(timeframe) && startsAtMs - nowMs() < 600_000,
  )
  expect(busy.length).toBeGreaterThan(2)
  for (const { id } of busy)
    expect(opened.filter(({ marketIds }) => marketIds.includes(id))).toMatchObject([{ marketIds: [id] }])
  expect(opened.length - busy.length).toBeLessThan(4)
})

test('a market that gets no book moves alone, with growing pauses, and no neighbour is disconnected', async () => {
  const { simulator, markets, sockets, lost, opened, isProved, follower, socketOf } = await sharedSocket({
    limits: { moveWithinMs: 500 },
  })
  const [bad, ...others] = markets
  if (bad === undefined) throw new Error('no market')
  const fault = await switchOn(simulator, { name: 'no-first-book', target: { market: bad.id } })
  follower.lost([bad.id], { cause: 'hash_mismatch', detail: 'test' }, undefined)
  expect(sockets.move(bad, 'no_book')).toBe(true)
  await until('it was moved', () => lost.length === 1, LIMIT_MS)
  expect(lost).toMatchObject([{ marketIds: [bad.id], doubt: { cause: 'resync' } }])
  // The next move is due half a minute later, whatever happens; a new socket does not make it sooner.
  for (let attempt = 0; attempt < 10; attempt++) expect(sockets.move(bad, 'no_book')).toBe(false)
  expect(opened).toHaveLength(2)
  await switchOff(simulator, fault)
  sockets.refresh(bad)
  await until('its book', () => isProved(bad), LIMIT_MS)
  expect(others.every(isProved)).toBe(true)
  expect(new Set(others.map(({ id }) => socketOf.get(id)))).toEqual(new Set([opened[0]?.socket]))
  expect(socketOf.get(bad.id)).toBe(opened[1]?.socket)
})

test('a late socket is replaced: the new one is opened first, and no market is ever without its book', async () => {
  const { simulator, markets, connection, lost, isProved, countOf, connections } = await sharedSocket({
    limits: { behindMs: 1_000 },
  })
  const before = performance.now()
  await until('its best is known', () => performance.now() - before > 6_000)
  await switchOn(simulator, { name: 'late', target: { connection }, options: { ms: 3_000 } })
  let wasDoubted = false
  const watch = setInterval(() => {
    wasDoubted ||= !markets.every(isProved)
  }, 20)
  const deadlineMs = performance.now() + LIMIT_MS
  for (let ids = [connection]; ids.includes(connection) || ids.length === 0; ) {
    if (performance.now() > deadlineMs) throw new Error('the late socket is still open')
    await new Promise((resolve) => setTimeout(resolve, 200))
    ids = (await connections()).map(({ id }) => id)
  }
  clearInterval(watch)
  // A machine that pauses makes the new socket late, too.
  const [replaced] = await countOf('capture_sockets_replaced_total')
  expect(replaced).toMatchObject({ labels: { reason: 'lag' } })
  const moves = { reason: 'lag', outcome: 'proved' }
  const times = replaced?.value ?? 0
  expect(times).toBeGreaterThan(0)
  expect(await countOf('capture_market_moves_total')).toMatchObject([{ labels: moves, value: markets.length * times }])
  expect([lost, wasDoubted]).toEqual([[], false])
})

test('a socket that stalls for seconds is measured as late; its books and trades are complete when it goes on', async () => {
  const simulator = await openSimulator({
    size: { hot: 4, medium: 4, cold: 6 },
    behaviours: ['socket-stalls'],
    stallsPerSecond: 0.3,
  })
  const scene = socketScene(simulator, { changed: SHARED })
  const markets = scene.follow(isHot)
  await until('books', () => markets.every(scene.isProved), LIMIT_MS)
  const observed = async (isOf: (upTo: number) => boolean): Promise<number> =>
    (await scene.countOf('capture_socket_lag_seconds'))
      .filter(({ labels }) => isOf(Number((labels as { le?: string }).le ?? Number.NaN)))
      .reduce((sum, { value }) => sum + value, 0)
  const lateCount = async (): Promise<number> => {
    const all = await observed((upTo) => upTo === Number.POSITIVE_INFINITY)
    return all - (await observed((upTo) => upTo === 0.5))
  }
  const deadlineMs = performance.now() + LIMIT_MS
  while ((await lateCount()) === 0) {
    if (performance.now() > deadlineMs) throw new Error('no late socket was measured')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect([scene.lost, scene.opened.length, markets.every(scene.isProved)]).toEqual([[], 1, true])
  const newest = (): Map<string, number> =>
    new Map(markets.map(({ id }) => [id, simulator.world.markets.get(id)?.changedAtMs ?? 0]))
  const wanted = newest()
  await until(
    'all changes',
    () =>
      markets.every(({ id }) => (scene.follower.markets.get(id)?.book.proved?.eventAtMs ?? 0) >= (wanted.get(id) ?? 0)),
    LIMIT_MS,
  )
  expect(scene.lost).toEqual([])
})

test('a busy socket without data is replaced although it answers pings, and nothing is disconnected', async () => {
  const { simulator, markets, connection, lost, opened, isProved, socketOf } = await sharedSocket({
    limits: { busySilenceMs: 2_000 },
  })
  const before = performance.now()
  await until('its traffic is measured', () => performance.now() - before > 12_000, LIMIT_MS)
  await switchOn(simulator, { name: 'mute', target: { connection } })
  await until('a second socket', () => opened.length === 2, LIMIT_MS)
  await until('data', () => markets.every(({ id }) => socketOf.get(id) === opened[1]?.socket), LIMIT_MS)
  expect([lost, markets.every(isProved)]).toEqual([[], true])
})

test('a socket without data stays open as long as pings are answered', async () => {
  const simulator = await openSimulator()
  const nowhere = { gammaUrl: '', clobUrl: '', socketUrl: '' }
  const { silenceLimitMs, heartbeat } = polymarket(nowhere).socket
  expect([silenceLimitMs, heartbeat.answerWithinMs]).toEqual([undefined, 30_000])
  const [quiet] = [...simulator.world.markets.values()].filter(({ activity }) => activity === 'cold')
  if (quiet === undefined) throw new Error('no quiet market')
  const heartbeatOfTest = { ...heartbeat, everyMs: 50, answerWithinMs: 5_000 }
  const { calls, ring } = openFeed(simulator, quiet.tokenIds, { heartbeat: heartbeatOfTest })
  await until('a first book', () => calls.includes('data'))
  await switchOn(simulator, { name: 'mute', target: { feed: 'polymarket' } })
  const pongs = (): number => ring.frames.filter(({ text }) => text === 'PONG').length
  await until('forty answers', () => pongs() > 40, LIMIT_MS)
  expect(calls.every((call) => call === 'opened' || call === 'data')).toBe(true)
})

test('F19: a socket that is closed as a slow consumer comes back as two', async () => {
  const { simulator, markets, connection, lost, opened, isProved, countOf } = await sharedSocket()
  await switchOn(simulator, { name: 'slow-consumer', target: { connection } })
  await until('lost', () => lost.length === 1, LIMIT_MS)
  await until('books again', () => markets.every(isProved), LIMIT_MS)
  const again = opened.slice(1).map(({ marketIds }) => marketIds.length)
  expect([again.length, again.reduce((sum, count) => sum + count, 0)]).toEqual([2, markets.length])
  expect(Math.max(...again)).toBeLessThan(markets.length)
  expect(await countOf('capture_sockets_replaced_total')).toMatchObject([{ labels: { reason: 'overloaded' } }])
})

test('several stale books on one socket replace it; one does not', async () => {
  const { markets, sockets, lost, opened, isProved } = await sharedSocket()
  const [one, two, three] = markets
  if (one === undefined || two === undefined || three === undefined) throw new Error('three markets')
  for (let time = 0; time < 5; time++) sockets.noteStale(one)
  sockets.noteStale(two)
  expect(opened).toHaveLength(1)
  sockets.noteStale(three)
  await until('a second socket', () => opened.length === 2, LIMIT_MS)
  expect([lost, markets.every(isProved)]).toEqual([[], true])
})

/** Resolves all its markets; the venue announces most resolutions, but not all, and then closes the socket. */
async function resolvedSocket(resolvedWithinMs: number) {
  const simulator = await openSimulator({
    size: { hot: 10, medium: 4, cold: 6 },
    behaviours: ['close-when-all-resolved', 'lost-resolutions'],
  })
  const scene = socketScene(simulator, { changed: SHARED, limits: { resolvedWithinMs } })
  const markets = scene.follow(isHot)
  await until('books', () => markets.every(scene.isProved), LIMIT_MS)
  for (const { id } of markets) await fetch(`${simulator.addresses.admin}/markets/${id}/resolve`, { method: 'POST' })
  await until('all ended', () => scene.resolved.length + scene.allResolved.length >= markets.length, LIMIT_MS)
  const { deeds } = (await (await fetch(`${simulator.addresses.admin}/oracle`)).json()) as {
    deeds: { fault: string; market: string }[]
  }
  const unannounced = deeds.filter(({ fault }) => fault === 'lost-resolutions').map(({ market }) => market)
  if (unannounced.length === 0 || unannounced.length === markets.length) throw new Error('choose another seed')
  return { ...scene, markets, unannounced }
}

test('a socket that is closed because all its markets are resolved is no fault, and its tokens are not subscribed again', async () => {
  const { markets, unannounced, ...scene } = await resolvedSocket(600_000)
  expect(scene.allResolved.toSorted()).toEqual(unannounced.toSorted())
  expect([...scene.resolved, ...unannounced].toSorted()).toEqual(markets.map(({ id }) => id).toSorted())
  const closedAtMs = performance.now()
  // A socket that is lost is opened again within two seconds.
  await until('time for a reconnect has passed', () => performance.now() - closedAtMs > 5_000)
  expect([scene.lost, scene.opened.length, await scene.connections()]).toEqual([[], 1, []])
})

test('a market that still exists some time after such a close is subscribed again, with a gap since the close', async () => {
  const { markets, unannounced, ...scene } = await resolvedSocket(1_500)
  await until('doubts', () => scene.lost.length === unannounced.length, LIMIT_MS)
  const doubt = { cause: 'disconnected', detail: expect.stringContaining('closed the socket as resolved') }
  expect(scene.lost).toEqual(expect.arrayContaining(unannounced.map((id) => ({ marketIds: [id], doubt }))))
  await until('a new socket', () => scene.opened.length === 2, LIMIT_MS)
  expect(scene.opened[1]?.marketIds.toSorted()).toEqual(unannounced.toSorted())
  for (const market of markets.filter(({ id }) => unannounced.includes(id))) scene.sockets.remove(market)
  const deadlineMs = performance.now() + LIMIT_MS
  while ((await scene.connections()).length > 0) {
    if (performance.now() > deadlineMs) throw new Error('a socket without markets is still open')
  }
})
