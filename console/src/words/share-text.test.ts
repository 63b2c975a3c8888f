import { expect, test } from 'vitest'
import { lossText, shareText } from './share-text.ts'

test('a share is rounded down: only a complete one is 100', () => {
  expect(shareText(1)).toBe('100 %')
  expect(shareText(0.999999)).toBe('99.999 %')
  expect(shareText(0.998129)).toBe('99.812 %')
  expect(shareText(0)).toBe('0.000 %')
})

test('a share with three digits is not made smaller by its binary form', () => {
  for (let thousandth = 0; thousandth < 100_000; thousandth += 7)
    expect(shareText(Number((thousandth / 100_000).toFixed(6)))).toBe(`${(thousandth / 1_000).toFixed(3)} %`)
})

test('what is missing and what is suspect are told apart', () => {
  expect(lossText({ missing: 1, suspect: 1_200 })).toBe('1 slot missing, 1,200 slots suspect')
  expect(lossText({ missing: 0, suspect: 0 })).toBe('nothing missing')
})
