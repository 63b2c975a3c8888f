// Nightly: a recorder follows simulated sockets in real time.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { FollowPerps } from '../../src/capture/follow-perps.ts'
import { FollowPrices } from '../../src/capture/follow-prices.ts'
import { PriceBoard } from '../../src/capture/price-board.ts'
import { binance } from '../../src/venues/binance/venue.ts'
import { hyperliquid } from '../../src/venues/hyperliquid/venue.ts'
import { openSimulator, switchOff, switchOn } from '../venues/open-simulator.ts'

interface Line {
  msg: string
  venue: string
  stream?: string
  cause?: string
  reason?: string
}

test('problems of perps and spot prices in every frame and every request are logged once, not each time', async () => {
  const simulator = await openSimulator()
  const { addresses, world } = simulator
  const lines: Line[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line) as Line) })
  const registry = new Registry()
  const shared = { nowMs: () => world.nowMs, log, metrics: captureMetrics(registry) }
  const perpVenue = hyperliquid({ infoUrl: addresses.perpInfo, socketUrl: addresses.perpSocket })
  const spotVenue = binance({ restUrl: addresses.spot, streamUrl: addresses.spotSocket })
  const stop = new AbortController()
  const perps = new FollowPerps({ ...shared, venue: perpVenue })
  perps.isWanted = true
  const running = Promise.all([
    perps.run(stop.signal),
    new FollowPrices({ ...shared, venue: spotVenue, board: new PriceBoard(shared.nowMs) }).run(stop.signal),
  ])
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  const countOf = async (metric: string, labels: object): Promise<number> =>
    ((await registry.getSingleMetric(metric)?.get())?.values ?? [])
      .filter((each) => Object.entries(labels).every(([name, value]) => each.labels[name] === value))
      .reduce((sum, { value }) => sum + value, 0)
  for (const feed of ['hyperliquid', 'binance'] as const) {
    const fault = await switchOn(simulator, { name: 'corrupt', target: { feed }, rate: 0.5 })
    await expect
      .poll(() => countOf('capture_frame_problems_total', { venue: feed }), { timeout: 120_000 })
      .toBeGreaterThan(20)
    await switchOff(simulator, fault)
  }
  await switchOn(simulator, { name: 'rest-error', target: { feed: 'hyperliquid' } })
  for (let times = 1; times <= 3; times++) {
    const before = await countOf('capture_sockets_lost_total', {})
    await switchOn(simulator, { name: 'disconnect', target: { feed: 'hyperliquid' } })
    await expect.poll(() => countOf('capture_sockets_lost_total', {})).toBeGreaterThan(before)
    const sockets = async (): Promise<number> =>
      ((await (await fetch(`${addresses.admin}/connections`)).json()) as { feed: string }[]).filter(
        ({ feed }) => feed === 'hyperliquid',
      ).length
    await expect.poll(sockets).toBe(2)
  }
  const problems = lines.map(({ msg, venue, stream, cause, reason }) =>
    [venue, msg, stream, cause, reason?.replaceAll(/\d+/g, 'N')].join(' '),
  )
  expect(problems).toEqual([...new Set(problems)])
  for (const problem of [
    'hyperliquid frame not understood',
    'binance frame not understood',
    'hyperliquid socket lost deep',
  ])
    expect(problems).toContainEqual(expect.stringContaining(problem))
  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('fetching book failed')
})
