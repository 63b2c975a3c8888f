import { expect, test } from 'vitest'
import { HeatMapData } from './heat-map-data.ts'
import { readoutAt, sentenceOf } from './heat-readout.ts'

const form = {
  intervalMs: 250,
  slotsPerColumn: 4,
  rows: 100,
  priceFrom: 0,
  priceStep: 0.01,
  scale: { unit: 0.01, stepsPerOctave: 7 },
  emptyBid: 0,
  emptyAsk: 1,
}
const clock = (ms: number): string => `${ms / 1_000} s`

/** Columns of a second from 10 s on, by the number of their slots that have a row. */
function dataWith(stored: readonly number[]): HeatMapData {
  const data = new HeatMapData([form])
  const codes = { bids: new Uint8Array(100).fill(1, 50, 51), asks: new Uint8Array(100) }
  for (const [index, count] of stored.entries()) {
    const counts = { stored: count, expected: 4, suspect: 0 }
    data.join(0, { number: 10 + index, ...codes, ...counts, bestBid: 0.5, bestAsk: 0.52 })
  }
  data.nowMs = (10 + stored.length) * 1_000
  return data
}

test('a column that may be recorded is not loaded; nothing is recorded of one that somebody has looked for', () => {
  const data = dataWith([4])
  data.isAwaited = (_level, fromMs) => fromMs < 5_000
  const textAt = (atMs: number) => readoutAt(data, 0, { atMs, row: 50 }, clock)
  expect([4_500, 5_500, 10_500].map(textAt)).toEqual([
    '4 s · not loaded',
    '5 s · nothing recorded',
    '10 s · 0.50 · bid ≈ 0.01',
  ])
})

test('the sentence counts what is drawn as missing, also where no gap is listed', () => {
  const data = dataWith([4, 0, 2, 4, 0, 4])
  const wordsOf = (fromMs: number) => sentenceOf(data, 0, { fromMs, toMs: 16_000 }, clock).split(', ').at(-1)
  expect(wordsOf(10_000)).toBe('2 gaps in this time.')
  data.addGaps([{ fromMs: 11_000, toMs: 12_500, kind: 'missing', cause: 'disconnected' }])
  expect(wordsOf(10_000)).toBe('2 gaps in this time.')
  expect(wordsOf(13_000)).toBe('one gap in this time.')
  expect(wordsOf(15_000)).toBe('no gap in this time.')
})

test('the sentence does not say that there is no gap in what is not loaded', () => {
  const data = dataWith([4, 4])
  data.isAwaited = (_level, fromMs) => fromMs < 10_000
  const wordsOf = (fromMs: number) => sentenceOf(data, 0, { fromMs, toMs: 12_000 }, clock).split(', ').at(-1)
  expect(wordsOf(10_000)).toBe('no gap in this time.')
  expect(wordsOf(9_000)).toBe('no gap in what is loaded of this time.')
})
