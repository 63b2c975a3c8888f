import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'

vi.stubGlobal('location', { origin: 'http://localhost' })
const { columnsOf, priceOfPage } = await import('./market-data-queries.ts')

test('the columns of the API document have names, types and meanings', () => {
  const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
  const columns = columnsOf(document)
  expect(columns.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['side', 'sequence_number', 'best_bid', 'bids']),
  )
  expect(columns.find(({ name }) => name === 'sequence_number')).toMatchObject({
    type: 'integer',
    meaning: expect.stringContaining('the slot'),
  })
})

test('the price of a page is that of one call, and there is none without rows', () => {
  expect(priceOfPage({ calls: 12, credits: 120 })).toBe(10)
  expect(priceOfPage({ calls: 0, credits: 0 })).toBeNull()
})
