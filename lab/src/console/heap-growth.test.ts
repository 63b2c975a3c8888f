import { expect, test } from 'vitest'
import { growthAtEnd } from './heap-growth.ts'

const MINUTES = 90

test('a heap that grows is noticed although single values vary, and one that only varies is not', () => {
  const varying = (index: number): number => 60 + (index % 3)
  const steady = Array.from({ length: MINUTES }, (_, index) => varying(index))
  expect(growthAtEnd(steady)).toBe(0)
  const growing = steady.map((value, index) => value + index / 3)
  expect(growthAtEnd(growing)).toBeGreaterThan(5)
  // One value at either end decides nothing.
  expect(growthAtEnd(steady.with(-1, 200).with(60, 0))).toBe(0)
})

test('what was loaded before the last third is no growth, and two values are enough', () => {
  expect(growthAtEnd(Array.from({ length: MINUTES }, (_, index) => Math.min(60, 2 * index)))).toBe(0)
  expect(growthAtEnd([50, 53])).toBe(3)
})
