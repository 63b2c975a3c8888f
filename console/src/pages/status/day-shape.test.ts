import { expect, test } from 'vitest'
import { dayShape } from './day-shape.ts'

const shape = (probes: number, failed = 0, missing = 0) =>
  dayShape({ probes, failed_probes: failed, missing_probes: missing })

test('a day without a probe has nothing filled, whatever is missing', () => {
  expect(shape(0)).toEqual({ known: 0, failed: 0 })
  expect(shape(0, 0, 8_640)).toEqual({ known: 0, failed: 0 })
})

test('only a day of which every probe was made is filled to the top', () => {
  expect(shape(8_640)).toEqual({ known: 1, failed: 0 })
  expect(shape(4_320, 0, 4_320)).toEqual({ known: 0.5, failed: 0 })
})

test('one failed probe is seen, and the failed part is never larger than what was measured', () => {
  expect(shape(8_640, 1).failed).toBe(0.25)
  expect(shape(8_640, 4_320).failed).toBe(0.5)
  expect(shape(100, 100, 300)).toEqual({ known: 0.25, failed: 0.25 })
  expect(shape(100, 1, 9_900)).toEqual({ known: 0.25, failed: 0.0625 })
})
