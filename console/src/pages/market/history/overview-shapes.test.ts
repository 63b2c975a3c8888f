import type { Bar } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { msAt, overviewShapes, volumeBars, xOf } from './overview-shapes.ts'

const START = Date.parse('2026-11-18T12:00:00Z')
const recorded = { fromMs: START, toMs: START + 100_000 }
const bar = (second: number, close: number | null): Bar =>
  ({
    start: new Date(START + second * 1_000).toISOString(),
    close,
    low: close,
    high: close,
    avg_spread: close === null ? null : 0.02,
  }) as Bar

test('nothing is drawn over bars without a snapshot', () => {
  const { line, band, low, high } = overviewShapes(
    [bar(0, 0.5), bar(10, 0.6), bar(20, null), bar(30, 0.5)],
    10_000,
    recorded,
  )
  expect(line.match(/M/g)).toHaveLength(2)
  expect(line).toMatch(/^M50\.0,[\d.]+L150\.0,[\d.]+M350\.0,[\d.]+h0\.5$/)
  expect(band.match(/Z/g)).toHaveLength(2)
  expect([low.toFixed(2), high.toFixed(2)]).toEqual(['0.49', '0.61'])
})

test('a market without bars has no shapes, and no prices that are not numbers', () => {
  expect(overviewShapes([], 1_000, recorded)).toMatchObject({ line: '', band: '' })
})

test('places and times are each other’s opposite', () => {
  expect(xOf(msAt(0.25, recorded), recorded)).toBe(250)
  expect([msAt(-1, recorded), msAt(2, recorded)]).toEqual([recorded.fromMs, recorded.toMs])
})

test('trades of one bar are added, and the largest bar has the full height', () => {
  const at = (second: number, size: number) => ({ traded_at: new Date(START + second * 1_000).toISOString(), size })
  const [first, second] = volumeBars([at(0, 3), at(9, 3), at(10, 2)], 10_000, recorded)
  expect([first?.x, second?.x]).toEqual([0, 100])
  expect(first?.height).toBeCloseTo(3 * (second?.height ?? 0))
  expect((first?.y ?? 0) + (first?.height ?? 0)).toBeCloseTo(84)
})
