import { expect, test } from 'vitest'
import { bound } from './bound.ts'

test.each([
  ['<=', 0, 0, true],
  ['<=', 1, 0, false],
  ['>=', 99.4, 99.5, false],
  ['>=', 99.5, 99.5, true],
  ['<', 1, 1, false],
  ['>', 2, 1, true],
  ['=', 3, 3, true],
  ['<=', Number.NaN, 1, false],
] as const)('a bound %s with value %d and limit %d is kept: %s', (comparison, value, limit, ok) => {
  expect(bound('x', value, comparison, limit).ok).toBe(ok)
})

test('a bound reads like a sentence, with its unit', () => {
  expect(bound('proved', 99.9, '>=', 99.5, '%')).toEqual({ name: 'proved', value: 99.9, bound: '>= 99.5 %', ok: true })
})
