import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Book, type Change, PRICE_ONE, priceText, sizeText } from './book.ts'

const change: fc.Arbitrary<Change> = fc.record({
  side: fc.constantFrom('bids', 'asks'),
  price: fc.integer({ min: 1, max: PRICE_ONE - 1 }),
  size: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000_000_000 })),
})

test('a book holds exactly the last size of each price, in rising order', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const book = new Book()
      const expected = { bids: new Map<number, number>(), asks: new Map<number, number>() }
      for (const each of changes) {
        book.apply(each)
        if (each.size > 0) expected[each.side].set(each.price, each.size)
        else expected[each.side].delete(each.price)
      }
      for (const side of ['bids', 'asks'] as const) {
        const levels = [...expected[side]].sort(([one], [other]) => one - other)
        expect(book[side].map(({ price, size }) => [price, size])).toEqual(levels)
      }
    }),
  )
})

test('prices and sizes are written exactly and without trailing zeros', () => {
  expect([0, 1, 100, 5_000, 5_010, 9_999, PRICE_ONE].map(priceText)).toEqual([
    '0',
    '0.0001',
    '0.01',
    '0.5',
    '0.501',
    '0.9999',
    '1',
  ])
  expect([0, 1, 10, 100, 105, 75_402_003].map(sizeText)).toEqual(['0', '0.01', '0.1', '1', '1.05', '754020.03'])
})
