import { expect, test } from 'vitest'
import { columnMsOf, levelFor, levelsOf } from './detail-levels.ts'

const FORM = { rows: 100, priceFrom: 0, priceStep: 0.01, emptyBid: 0, emptyAsk: 1 }
const SCALE = { unit: 0.01, stepsPerOctave: 7 }

const levelsWith = (intervalMs: number) => levelsOf({ ...FORM, scale: SCALE, intervalMs })

test('the finest level is the finest whose tiles are free: four slots, and a second', () => {
  expect(levelsWith(250).map(columnMsOf)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
  expect(levelsWith(100).map(columnMsOf)).toEqual([1_600, 3_200, 6_400, 12_800, 25_600])
  expect(levelsWith(3_000).map(columnMsOf)).toEqual([12_000, 24_000, 48_000, 96_000, 192_000])
})

test('a view takes the first level that has at least a pixel for each column', () => {
  const levels = levelsWith(250)
  expect(levelFor(levels, 900_000, 1_000)).toBe(0)
  expect(levelFor(levels, 3_600_000, 1_000)).toBe(2)
  expect(levelFor(levels, 86_400_000, 1_000)).toBe(4)
})
