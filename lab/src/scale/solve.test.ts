import { expect, test } from 'vitest'
import { lineThrough, solve } from './solve.ts'

test('three measurements give the three costs they were made of', () => {
  const costs = [0.05, 90e-6, 40e-6]
  const loads = [
    [1, 300, 900],
    [1, 900, 2_700],
    [1, 900, 150],
  ]
  const equations = loads.map((load) => [
    ...load,
    load.reduce((sum, units, index) => sum + units * (costs[index] ?? 0), 0),
  ])
  for (const [index, cost] of solve(equations).entries()) expect(cost).toBeCloseTo(costs[index] ?? Number.NaN, 9)
})

test('an equation without its first unknown is no obstacle', () => {
  expect(
    solve([
      [0, 2, 4],
      [3, 0, 9],
    ]),
  ).toEqual([3, 2])
})

test('a line goes through both points', () => {
  expect(lineThrough([100, 150], [300, 250])).toEqual({ fixed: 100, each: 0.5 })
})
