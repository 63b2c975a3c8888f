// Nightly: a recorder follows simulated sockets in real time.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { FollowPerps } from '../../src/capture/follow-perps.ts'
import { COINS } from '../../src/domain/market.ts'
import { perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { hyperliquid } from '../../src/venues/hyperliquid/venue.ts'
import { openSimulator, switchOn, until } from '../venues/open-simulator.ts'

test('F65, F66, F70: eight coins use two sockets, and after a disconnect both reconnect with every subscription', async () => {
  const simulator = await openSimulator()
  const { perpInfo: infoUrl, perpSocket: socketUrl, admin } = simulator.addresses
  const metrics = captureMetrics(new Registry())
  const nowMs = (): number => performance.timeOrigin + performance.now()
  const log = pino({ level: 'silent' })
  const follow = new FollowPerps({ venue: hyperliquid({ infoUrl, socketUrl }), nowMs, log, metrics })
  follow.isWanted = true
  const stop = new AbortController()
  const running = follow.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  const samples = () => follow.markets.map((market) => market.sample(1, nowMs()))
  const touchesAfter = (atMs: number): boolean =>
    samples().every((row) => 'perpSnapshot' in row && row.perpSnapshot.touch.eventAtMs > atMs)
  const sockets = async (): Promise<string[]> => {
    const open = (await (await fetch(`${admin}/connections`)).json()) as { id: string; feed: string }[]
    return open.filter(({ feed }) => feed === 'hyperliquid').map(({ id }) => id)
  }
  await until('all coins', () => touchesAfter(0))
  expect(follow.markets.map(({ id }) => id)).toEqual(COINS.map((coin) => perpMarketId('hyperliquid', coin)))
  await expect.poll(sockets).toHaveLength(2)
  const before = await sockets()
  // Whole books come over REST too; without REST a fresh touch can only come from a socket.
  await switchOn(simulator, { name: 'rest-error', target: { feed: 'hyperliquid' } })
  await switchOn(simulator, { name: 'disconnect', target: { feed: 'hyperliquid' } })
  await expect.poll(sockets).toHaveLength(2)
  expect((await sockets()).filter((id) => before.includes(id))).toEqual([])
  const cutAtMs = simulator.world.nowMs
  await until('fresh touches of all coins', () => touchesAfter(cutAtMs), 15_000)
})
