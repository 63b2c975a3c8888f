import { expect, test } from 'vitest'
import { columnMsOf } from '../views/heat-map/detail-levels.ts'
import { MAP_STEPS } from './map-steps.ts'
import { marketLevels } from './market-levels.ts'

test('the levels of a market follow from its sampling interval and the chosen step', () => {
  expect(marketLevels(250, 1).map(columnMsOf)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
  expect(marketLevels(3_000, 1).map(columnMsOf)).toEqual([12_000, 24_000, 48_000, 96_000, 192_000])
  const forms = MAP_STEPS.map((step) => marketLevels(250, step)[0])
  expect(forms.map((form) => [form?.priceFrom, form?.priceStep, form?.rows])).toEqual([
    [0, 0.001, 1_000],
    [0, 0.005, 200],
    [0, 0.01, 100],
    [0, 0.05, 20],
  ])
})
