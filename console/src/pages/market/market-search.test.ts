import { expect, test } from 'vitest'
import { contrastOf, readMarketSearch } from './market-search.ts'

test('the view of an address is read back as it was written', () => {
  const view = { tab: 'history', side: 'down', span: 60, contrast: '40-90', step: 0.1 } as const
  expect(readMarketSearch(view)).toEqual(view)
  const hour = { tab: 'coverage', day: '2026-11-12', hour: 7 } as const
  expect(readMarketSearch(hour)).toEqual(hour)
  expect(contrastOf('40-90')).toEqual({ low: 40, high: 90 })
})

test('a wrong value becomes the usual one', () => {
  expect(readMarketSearch({ tab: 'nothing', side: 'left', span: 0.5, contrast: '90-40', step: 2, other: 1 })).toEqual(
    {},
  )
  expect(readMarketSearch({ day: '12 November', hour: 7 })).toEqual({})
  expect(readMarketSearch({ span: 241, contrast: '0-255' })).toEqual({})
  expect([contrastOf('1-256'), contrastOf('1-2-3'), contrastOf(undefined)]).toEqual([undefined, undefined, undefined])
})
