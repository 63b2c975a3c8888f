import { expect, test } from 'vitest'
import { readHistorySearch } from './history-search.ts'

const from = Date.parse('2026-11-18T12:00:00Z')

test('the address has range, moment and speed, as numbers or as texts', () => {
  const search = { from, to: from + 3_600_000, at: from + 250, speed: 10 as const }
  expect(readHistorySearch(search)).toEqual(search)
  expect(readHistorySearch({ at: '2026-11-18T12:00:00.250Z', speed: 'max' })).toEqual({ at: from + 250, speed: 'max' })
})

test('what makes no sense is left out', () => {
  expect(readHistorySearch({ from, to: from, at: 'noon', speed: 3 })).toEqual({})
  expect(readHistorySearch({ from, at: 17, speed: '10' })).toEqual({})
  expect(readHistorySearch({ at: Number.NaN, from: null, to: {} })).toEqual({})
})
