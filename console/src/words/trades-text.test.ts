import { expect, test } from 'vitest'
import { tradesText } from './trades-text.ts'

test('a map without all trades says from when on it shows them, and why', () => {
  expect(tradesText('14:05:09', { isFull: true, most: 2_000 })).toBe(
    'Trades are shown from 14:05:09 on: the map shows the newest 2,000.',
  )
  expect(tradesText('14:05:09', { isFull: false, most: 2_000 })).toBe(
    'Trades are shown from 14:05:09 on. Older ones could not be loaded; the page tries again.',
  )
})
