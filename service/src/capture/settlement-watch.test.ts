import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { Market } from '../domain/market.ts'
import type { SettlementPrice } from '../domain/rows/settlement-price.ts'
import { settlesOn } from '../venues/polymarket/settles-on.ts'
import { captureMetrics } from './capture-metrics.ts'
import { PriceBoard } from './price-board.ts'
import { SettlementWatch } from './settlement-watch.ts'

const START_MS = 1_794_709_200_000
const END_MS = START_MS + 300_000
const window = {
  id: `0x${'ab'.repeat(32)}`,
  category: 'crypto',
  subcategory: 'HYPE',
  timeframe: '5m',
  eventSlug: 'hype-updown-5m-1794709200',
  startsAtMs: START_MS,
  endsAtMs: END_MS,
} as Market

function scene() {
  let nowMs = START_MS - 5_000
  const found: SettlementPrice[] = []
  const board = new PriceBoard(() => nowMs)
  const registry = new Registry()
  const watch = new SettlementWatch({
    venue: { id: 'polymarket', fetchWindowPrices: async () => ({}), settlesOn },
    prices: board,
    nowMs: () => nowMs,
    log: pino({ level: 'silent' }),
    metrics: captureMetrics(registry),
    isHeld: () => true,
    onPrice: (price) => found.push(price),
  })
  watch.note(window)
  const price = (priceAtMs: number, units: bigint) =>
    board.take({ source: 'twap60', coin: 'HYPE', price: units, priceAtMs }, priceAtMs + 1_500)
  const at = (timeMs: number) => {
    nowMs = timeMs
    watch.findRecorded()
  }
  const missed = async () =>
    (await registry.getSingleMetric('capture_settlement_prices_missed_total')?.get())?.values[0]?.value ?? 0
  return { board, found, price, at, missed }
}

test('the price to beat is the average stamped with the start, as soon as it has arrived', () => {
  const { found, price, at } = scene()
  price(START_MS - 1_000, 41n)
  at(START_MS + 1_000)
  expect(found).toEqual([])
  price(START_MS, 42n)
  price(START_MS + 1_000, 43n)
  at(START_MS + 2_000)
  at(START_MS + 3_000)
  expect(found).toMatchObject([
    { marketId: window.id, point: 'start', source: 'twap60', price: 42n, priceAtMs: START_MS, settlesAtMs: START_MS },
  ])
})

test('when the second itself is missing, a price of the two seconds before counts, with its own time', () => {
  const { found, price, at } = scene()
  price(END_MS - 1_000, 7n)
  price(END_MS + 1_000, 8n)
  at(END_MS + 9_000)
  expect(found).toEqual([])
  at(END_MS + 10_001)
  expect(found).toMatchObject([{ point: 'end', price: 7n, priceAtMs: END_MS - 1_000 }])
})

test('an older price never counts, and the missing one is counted', async () => {
  const { found, price, at, missed } = scene()
  price(START_MS - 2_001, 7n)
  at(START_MS + 10_001)
  at(START_MS + 120_001)
  expect(found).toEqual([])
  expect(await missed()).toBe(1)
})

test('a coin without a price at Binance has the one of Chainlink, and says so', () => {
  const { board, at } = scene()
  at(START_MS + 2_000)
  const price = 42_250_000_000_000_000_000n
  board.take({ source: 'chainlink', coin: 'HYPE', price, priceAtMs: START_MS }, START_MS + 1_400)
  expect(board.quoteFor(window)).toEqual({ source: 'chainlink', price: 4_225_000_000, atMs: START_MS })
  board.take({ source: 'binance', coin: 'HYPE', price: price + 10n ** 18n }, START_MS + 1_500)
  expect(board.quoteFor(window)).toMatchObject({ source: 'binance', price: 4_325_000_000 })
  at(START_MS + 40_000)
  expect(board.quoteFor(window)).toBeUndefined()
})

test('one price per second and series is stored, the last one, when the second is over', () => {
  const { board, at } = scene()
  at(START_MS + 500)
  board.take({ source: 'binance', coin: 'BTC', price: 1n }, START_MS + 100)
  board.take({ source: 'binance', coin: 'BTC', price: 2n }, START_MS + 400)
  board.take({ source: 'twap60', coin: 'BTC', price: 3n, priceAtMs: START_MS - 2_000 }, START_MS + 450)
  expect(board.takeRows().map(({ price }) => price)).toEqual([3n])
  at(START_MS + 1_000)
  expect(board.takeRows()).toMatchObject([
    { source: 'binance', price: 2n, priceAtMs: START_MS + 400, isVenueTime: false },
  ])
  at(START_MS + 2_000)
  expect(board.takeRows()).toEqual([])
})
