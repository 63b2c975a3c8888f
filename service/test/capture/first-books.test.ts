import { usualSize } from '@bookreel/simulator/world/roster'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { expect, onTestFinished, test } from 'vitest'
import { FollowedMarket } from '../../src/capture/followed-market.ts'
import { Follower } from '../../src/capture/follower.ts'
import { Resync } from '../../src/capture/resync.ts'
import { VenueSockets } from '../../src/capture/venue-sockets.ts'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { openSimulator, until } from '../venues/open-simulator.ts'
import { TinyVenue } from '../venues/tiny-venue.ts'
import { marketFacts } from '../venues/world-truth.ts'
import { captureScene } from './capture-scene.ts'
import { fault, hotMarketId, untilRows } from './capture-steps.ts'

test('F3, F14: more markets than one socket allows use several, and every first book and trades of both tokens arrive', async () => {
  const simulator = await openSimulator({ size: usualSize(500) })
  const { gamma: gammaUrl, clob: clobUrl, marketSocket: socketUrl, admin } = simulator.addresses
  const venue = polymarket({ gammaUrl, clobUrl, socketUrl })
  expect(venue.socket.marketsPerSocket * 2).toBeLessThanOrEqual(400)
  const nowMs = (): number => performance.timeOrigin + performance.now()
  const nothing = (): void => {}
  const outcomes = new Set<number>()
  const follower = new Follower({
    venue,
    nowMs,
    onTrade: ({ outcome }) => outcomes.add(outcome),
    onResolved: nothing,
    onProblem: nothing,
    onDoubt: nothing,
  })
  const frame = (text: string, atMs: number): boolean => follower.frame(text, atMs)
  const sockets = new VenueSockets(venue, { frame, opened: nothing, lost: nothing }, nowMs)
  const stop = new AbortController()
  const running = sockets.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  for (const market of simulator.world.markets.values()) {
    if (market.phase !== 'trading') continue
    follower.add(marketFacts(market))
    sockets.add(marketFacts(market))
  }
  expect(follower.markets.size).toBeGreaterThan(400)
  await until('every book', () => [...follower.markets.values()].every(({ book }) => book.proved !== undefined))
  await until('trades of both tokens', () => outcomes.size === 2)
  const open = (await (await fetch(`${admin}/connections`)).json()) as unknown[]
  expect(open).toHaveLength(Math.ceil(follower.markets.size / venue.socket.marketsPerSocket))
})

test('F5: first books are requested, and requested again when they do not arrive', async () => {
  const nowhere = { gammaUrl: '', clobUrl: '', socketUrl: '' }
  expect(JSON.parse(polymarket(nowhere).subscribeFrames(['1'], true)[0] ?? '')).toMatchObject({ initial_dump: true })
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
