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

test('one exception among few observations does not contradict an assumption about a share', () => {
  expect(verdictOf(0.1, 5, 1)).toBe('confirmed')
  expect(verdictOf(0.1, 5, 2)).toBe('contradicted')
  expect(verdictOf(0.1, 0, 1)).toBe('contradicted')
  expect(verdictOf(0.1, 20, 2)).toBe('confirmed')
})
