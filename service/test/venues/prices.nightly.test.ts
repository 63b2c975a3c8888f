// Nightly: follows simulated sockets in real time.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { captureMetrics } from '../../src/capture/capture-metrics.ts'
import { FollowPrices } from '../../src/capture/follow-prices.ts'
import { PriceBoard } from '../../src/capture/price-board.ts'
import { COINS, type CoinSymbol } from '../../src/domain/market.ts'
import type { PriceSource } from '../../src/domain/price.ts'
import { binance } from '../../src/venues/binance/venue.ts'
import { rtds } from '../../src/venues/rtds/venue.ts'
import { openSimulator, switchOff, switchOn, until } from './open-simulator.ts'

async function scene(faults: Parameters<typeof openSimulator>[0] = {}) {
  const simulator = await openSimulator(faults)
  // The time of prices is that of the simulated world.
  const nowMs = (): number => simulator.world.nowMs
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const board = new PriceBoard(nowMs)
  const { spot: restUrl, spotSocket: streamUrl, priceSocket: socketUrl } = simulator.addresses
  const stop = new AbortController()
  const follow = [binance({ restUrl, streamUrl }), rtds({ socketUrl })].map(
    (venue) =>
      new FollowPrices({
        venue,
        board,
        nowMs,
        log,
        metrics: captureMetrics(new Registry()),
        firstPriceWithinMs: 3_000,
      }),
  )
  const running = Promise.all(follow.map((each) => each.run(stop.signal)))
  onTestFinished(async () => {
    stop.abort()
    await running
  })
  const has = (source: PriceSource, coin: CoinSymbol): boolean => board.fresh({ source, coin }) !== undefined
  const missing = (): string[] =>
    follow.flatMap((each) => each.missing()).map(({ source, coin }) => `${source} ${coin}`)
  return { simulator, board, has, missing, lines }
}

test('F53: one frame without filters brings Chainlink prices and averages of all coins', async () => {
  const { has } = await scene()
  for (const coin of COINS)
    await until(`prices of ${coin}`, () => has('chainlink', coin) && has('twap60', coin), 120_000)
})

test('HYPE is not subscribed at Binance and has the price of Chainlink; ZEC has both', async () => {
  const { board, has, missing, lines } = await scene()
  await until('prices of ZEC', () => has('binance', 'ZEC') && has('chainlink', 'ZEC'), 120_000)
  await until('a price of HYPE', () => has('chainlink', 'HYPE'), 120_000)
  const source = (coin: CoinSymbol) => board.quoteFor({ category: 'crypto', subcategory: coin })?.source
  expect([source('HYPE'), source('ZEC')]).toEqual(['chainlink', 'binance'])
  expect(has('binance', 'HYPE')).toBe(false)
  expect(missing()).not.toContain('binance HYPE')
  expect(lines.filter((line) => line.includes('no price of these coins')).join()).toContain('"coins":["HYPE"]')
})

test('F51, F55: without the price socket Binance goes on, the averages are reported missing, and one line a minute is logged', async () => {
  const { simulator, has, missing, lines } = await scene({ faults: [{ name: 'rtds-removed' }] })
  await until('a price of Binance', () => has('binance', 'BTC'), 120_000)
  await until('missing averages', () => missing().includes('twap60 BTC'), 120_000)
  expect(missing().filter((name) => name.startsWith('binance'))).toEqual([])
  const warnings = lines.filter((line) => line.includes('"venue":"rtds"'))
  expect(warnings.length).toBeLessThanOrEqual(1)
  await switchOff(simulator, 'fault-1')
  await until('averages after its return', () => has('twap60', 'BTC'), 120_000)
  await switchOn(simulator, { name: 'rtds-removed' })
  await until('another price of Binance', () => has('binance', 'BTC'), 120_000)
})
