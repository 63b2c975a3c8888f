import { expect, test } from 'vitest'
import { Ledger } from './ledger.ts'

const says = 'frames come in order'

function verdictOf(mostAgainst: number, confirmed: number, contradicted: number): string {
  const ledger = new Ledger({ order: { says, isRelied: true, counts: 'frames', mostAgainst } })
  ledger.count('order', confirmed, contradicted)
  return ledger.verdictOf('order')
}

test('one exception contradicts an assumption that allows none', () => {
  expect(verdictOf(0, 1_000, 1)).toBe('contradicted')
})

test('a share is contradicted by more exceptions than chance gives in so few observations', () => {
  expect(verdictOf(0.1, 5, 1)).toBe('confirmed')
  expect(verdictOf(0.1, 5, 4)).toBe('contradicted')
  expect(verdictOf(0.02, 284, 10)).toBe('confirmed')
  expect(verdictOf(0.02, 2_840, 100)).toBe('contradicted')
  expect(verdictOf(0.1, 0, 1)).toBe('contradicted')
  expect(verdictOf(0.1, 0, 0)).toBe('not seen')
})
