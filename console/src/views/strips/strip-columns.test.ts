import { expect, test } from 'vitest'
import { HeatMapData } from '../heat-map/heat-map-data.ts'
import { codeOfSize } from '../heat-map/size-code.ts'
import { stripColumns } from './strip-columns.ts'

const scale = { unit: 0.01, stepsPerOctave: 7 }
const form = {
  intervalMs: 250,
  slotsPerColumn: 4,
  rows: 99,
  priceFrom: 0.01,
  priceStep: 0.01,
  scale,
  emptyBid: 0,
  emptyAsk: 1,
}

function codesAt(sizes: Readonly<Record<number, number>>): Uint8Array {
  const codes = new Uint8Array(form.rows)
  for (const [cents, size] of Object.entries(sizes)) codes[Number(cents) - 1] = codeOfSize(size, scale)
  return codes
}

function dataWith(column: { bids: Record<number, number>; asks: Record<number, number>; bid: number; ask: number }) {
  const data = new HeatMapData([form])
  const counts = { stored: 4, expected: 4, suspect: 0 }
  const sizes = { bids: codesAt(column.bids), asks: codesAt(column.asks) }
  data.join(0, { number: 10, ...sizes, ...counts, bestBid: column.bid, bestAsk: column.ask })
  return data
}

test('columns without a stored book are holes, also between others', () => {
  const data = dataWith({ bids: { 50: 10 }, asks: { 52: 10 }, bid: 0.5, ask: 0.52 })
  const columns = stripColumns(data, 0, { fromMs: 9_000, toMs: 12_000 })
  expect(columns.map(({ spread }) => spread?.toFixed(2))).toEqual([undefined, '0.02', undefined])
  expect(columns.map(({ imbalance }) => imbalance)).toEqual([undefined, 0, undefined])
})

test('a book with an empty side has no spread, and its imbalance is that of the other side', () => {
  const data = dataWith({ bids: { 50: 10 }, asks: {}, bid: 0.5, ask: 1 })
  const [column] = stripColumns(data, 0, { fromMs: 10_000, toMs: 11_000 })
  expect([column?.spread, column?.imbalance]).toEqual([undefined, 1])
})

test('the imbalance is of the five best prices, wherever they are', () => {
  const bids = { 50: 100, 48: 100, 40: 100, 30: 100, 20: 100, 10: 100_000 }
  const data = dataWith({ bids, asks: { 60: 500 }, bid: 0.5, ask: 0.6 })
  const [column] = stripColumns(data, 0, { fromMs: 10_000, toMs: 11_000 })
  expect(Math.abs(column?.imbalance ?? 1)).toBeLessThan(0.06)
})

test('trades are summed by column and by what the taker did', () => {
  const data = new HeatMapData([form])
  const trade = { price: 0.5, action: 'buy' as const }
  data.addTrades([
    { ...trade, atMs: 10_100, size: 3 },
    { ...trade, atMs: 10_900, size: 4 },
    { ...trade, atMs: 10_950, size: 5, action: 'sell' },
    { ...trade, atMs: 11_000, size: 6 },
  ])
  const columns = stripColumns(data, 0, { fromMs: 10_000, toMs: 12_000 })
  expect(columns.map(({ bought, sold }) => [bought, sold])).toEqual([
    [7, 5],
    [6, 0],
  ])
})

test('where trades are not loaded nothing is said of them', () => {
  const data = new HeatMapData([form])
  data.addTrades([{ atMs: 11_500, price: 0.5, size: 3, action: 'buy' }])
  data.unknownTrades = { beforeMs: 10_500, why: 'coming' }
  const columns = stripColumns(data, 0, { fromMs: 9_000, toMs: 13_000 })
  expect(columns.map(({ bought }) => bought)).toEqual([undefined, undefined, 3, 0])
})
