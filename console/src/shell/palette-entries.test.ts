import { expect, test } from 'vitest'
import { DOCUMENTS, PAGES } from './pages.ts'
import { matchingPages, matchingSeries } from './palette-entries.ts'

const names = (text: string, isOperator = false): string[] => matchingPages(text, isOperator).map(({ name }) => name)

test('without words all pages are offered; with words those that have all of them, names first', () => {
  expect(names('')).toHaveLength(PAGES.length + DOCUMENTS.length)
  expect(names('  KEY ')[0]).toBe('Keys')
  expect(names('packs')).toEqual(['Billing', 'Pricing'])
  expect(names('packs invoices')).toEqual(['Billing'])
  expect(names('bitcoin')).toEqual([])
})

test('the pages of operators are offered to operators only', () => {
  expect(names('operations', true)).toEqual(['Operations'])
  expect(names('operations')).toEqual([])
})

test('the name of a series leads to its current window', () => {
  for (const text of ['BTC/5m', ' btc 5M'])
    expect(matchingSeries(text)).toMatchObject([{ name: 'BTC/5m', coin: 'BTC', timeframe: '5m' }])
  for (const text of ['btc', '5m', 'btc 7m', 'will btc 5m']) expect(matchingSeries(text)).toEqual([])
})
