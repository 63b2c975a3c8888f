import { expect, test } from 'vitest'
import { creditText } from './credit-texts.ts'

test('an entry says what it is, and what was charged', () => {
  expect(creditText({ kind: 'grant', endpoint: null })).toBe('Monthly credits')
  expect(creditText({ kind: 'charge', endpoint: 'export_hour' })).toBe('Charged: export hour')
  expect(creditText({ kind: 'later' as 'grant', endpoint: null })).toBe('later')
})
