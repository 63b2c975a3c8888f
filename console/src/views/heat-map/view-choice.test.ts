import { expect, test } from 'vitest'
import { ViewChoice } from './view-choice.ts'

test('columns of a stream never change the contrast, loaded ones and a changed view do', () => {
  const choice = new ViewChoice()
  expect(choice.isDue(0, 0)).toBe(false)
  expect(choice.isDue(1, 0)).toBe(true)
  for (const known of [2, 4, 400]) expect(choice.isDue(known, 0)).toBe(false)
  expect(choice.isDue(600, 200)).toBe(true)
  expect(choice.isDue(700, 300)).toBe(false)
  choice.again()
  expect(choice.isDue(700, 300)).toBe(true)
})
