// Nightly: a recorder follows simulated sockets in real time.
import { usualSize } from '@bookreel/simulator/world/roster'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { expect, test } from 'vitest'
import { FollowedMarket } from '../../src/capture/followed-market.ts'
import { Resync } from '../../src/capture/resync.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { openSimulator, until } from '../venues/open-simulator.ts'
import { TinyVenue } from '../venues/tiny-venue.ts'
import { captureScene } from './capture-scene.ts'
import { fault, hotMarketId, untilRows } from './capture-steps.ts'
import { socketScene } from './socket-scene.ts'

test('F3, F14: more markets than one socket allows use several, and every first book and trades of both tokens arrive', async () => {
  const simulator = await openSimulator({ size: usualSize(500) })
  const { follower, follow, trades, connections } = socketScene(simulator)
  follow((market) => market.phase === 'trading')
  expect(follower.markets.size).toBeGreaterThan(400)
  await until(
    'every book',
    () => [...follower.markets.values()].every(({ book }) => book.proved !== undefined),
    120_000,
  )
  await until('trades of both tokens', () => new Set(trades.map(({ outcome }) => outcome)).size === 2, 120_000)
  const open = await connections()
  expect(open.length).toBeGreaterThan(Math.ceil(follower.markets.size / 200))
})

test('F5: first books are requested, and requested again when they do not arrive', async () => {
  const nowhere = { gammaUrl: '', clobUrl: '', socketUrl: '' }
  expect(JSON.parse(polymarket(nowhere).openProtocol().subscribeFrames(['1'])[0] ?? '')).toMatchObject({
    initial_dump: true,
  })
  await using stack = await borrowStack({ engines: ['nats'] })
  await using scene = await captureScene(stack)
  const marketId = hotMarketId(scene)
  await fault(scene, { name: 'no-first-book', target: { market: marketId }, times: 2 })
  scene.start()
  await untilRows(scene, marketId, 4)
  const before = scene.recording.gapsOf(marketId)
  // A busy machine may sample late.
  const causes = before.map(({ cause }) => cause).filter((cause) => cause !== 'late_slot')
  expect(new Set(causes)).toEqual(new Set(['not_listed_yet']))
  expect(scene.recording.holesOf(marketId)).toEqual([])
})

test('F23: a market added later that gets no data moves to another socket, and its neighbours stay', async () => {
  const simulator = await openSimulator({ size: usualSize(60) })
  const { sockets, follow, lost, isProved } = socketScene(simulator)
  const [first, second] = [...simulator.world.markets.values()].filter(
    ({ phase, activity }) => phase === 'trading' && activity === 'cold',
  )
  const [neighbour] = follow((market) => market === first)
  if (neighbour === undefined) throw new Error('no market')
  await until('the first book', () => isProved(neighbour))
  await fetch(`${simulator.addresses.admin}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ignore-later-subscribes' }),
  })
  const [added] = follow((market) => market === second)
  if (added === undefined) throw new Error('no second market')
  await until('the move', () => sockets.move(added, 'no_book'))
  await until('its book over the other socket', () => isProved(added))
  expect([lost, isProved(neighbour)]).toEqual([[], true])
})

test('F34: a market without an order book yet is requested with growing pauses until its first book', () => {
  const venue = new TinyVenue()
  const followed = new FollowedMarket(new ProvedBook(venue.market), 0)
  const resync = new Resync()
  const requestedAtS: number[] = []
  for (let atMs = 0; atMs <= 120_000; atMs += 1_000)
    if (resync.due([followed], atMs).length > 0) requestedAtS.push(atMs / 1_000)
  expect(requestedAtS).toEqual([5, 7, 11, 19, 35, 65, 95])
  for (const outcome of [0, 1] as const) followed.take(venue.book(outcome, true), 121_000)
  for (let atMs = 121_000; atMs <= 300_000; atMs += 1_000) expect(resync.due([followed], atMs)).toEqual([])
})
