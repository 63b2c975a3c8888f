import { expect, test } from 'vitest'
import { neighbourSpeed, SPEEDS, speedText } from './speeds.ts'
import { gapAt, type Step, type StepPlaces, slotTime, stepFrom } from './steps.ts'

const START = 1_000_000
const places: StepPlaces = {
  intervalMs: 250,
  fromMs: START,
  toMs: START + 120_000,
  gaps: [
    { fromMs: START + 20_000, toMs: START + 30_000, kind: 'missing', cause: 'disconnected' },
    { fromMs: START + 28_000, toMs: START + 40_000, kind: 'suspect', cause: 'resync' },
  ],
  trades: [START + 1_001, START + 1_002, START + 50_000],
  windows: [START - 60_000, START + 60_000],
}
const step = (atMs: number, kind: Step, direction: 1 | -1): number =>
  stepFrom(START + atMs, kind, direction, places) - START

test('steps of a fixed length end at the edges of the range', () => {
  expect([step(0, 'slot', 1), step(0, 'slot', -1)]).toEqual([250, 0])
  expect([step(5_000, 'ten-seconds', 1), step(5_000, 'ten-seconds', -1)]).toEqual([15_000, 0])
  expect([step(30_000, 'minute', 1), step(90_000, 'minute', 1)]).toEqual([90_000, 119_750])
  expect([step(5_000, 'range', 1), step(5_000, 'range', -1)]).toEqual([119_750, 0])
})

test('steps to gaps, trades and windows go to the nearest one, and nowhere without one', () => {
  expect([step(0, 'gap', 1), step(20_000, 'gap', 1), step(28_000, 'gap', 1)]).toEqual([20_000, 28_000, 28_000])
  expect([step(60_000, 'gap', -1), step(28_000, 'gap', -1), step(0, 'gap', -1)]).toEqual([28_000, 20_000, 0])
  // Two trades of one slot are one step; the book shows the trade from the next slot on.
  expect([step(0, 'trade', 1), step(1_250, 'trade', 1), step(50_000, 'trade', -1)]).toEqual([1_250, 50_000, 1_250])
  expect([step(0, 'window', 1), step(0, 'window', -1)]).toEqual([60_000, 0])
})

test('a time is that of the slot which was current', () => {
  expect(slotTime(START + 499, places) - START).toBe(250)
  expect(slotTime(0, places)).toBe(START)
  expect(slotTime(START + 1_000_000, places) - START).toBe(119_750)
  expect(slotTime(START, { intervalMs: 300, fromMs: START, toMs: START + 1 })).toBe(1_000_200)
})

test('where rows are missing this is said before doubts', () => {
  expect(gapAt(places.gaps, START + 29_000)?.cause).toBe('disconnected')
  expect(gapAt(places.gaps, START + 30_000)?.cause).toBe('resync')
  expect(gapAt(places.gaps, START + 40_000)).toBeUndefined()
})

test('speeds have neighbours and texts', () => {
  expect(neighbourSpeed(1, 1)).toBe(2)
  expect(neighbourSpeed(0.25, -1)).toBe(0.25)
  expect(neighbourSpeed(120, 1)).toBe('max')
  expect(neighbourSpeed('max', 1)).toBe('max')
  expect(SPEEDS.map(speedText)).toEqual(['0.25×', '0.5×', '1×', '2×', '5×', '10×', '30×', '120×', 'max'])
})
