import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Book, type Ladders, type Level, mirrorOf, PRICE_ONE, sameLadders } from './book.ts'

const price = fc.integer({ min: 1, max: PRICE_ONE - 1 })
const size = fc.integer({ min: 1, max: 9_000_000_000_000 })
const levels = fc.uniqueArray(fc.record({ price, size }), { selector: (level) => level.price, maxLength: 40 })
const anyLadders: fc.Arbitrary<Ladders> = fc.record({ bids: levels, asks: levels })

const prices = (side: readonly Level[]): number[] => side.map((level) => level.price)

test('a picture is best price first, whatever the order in which the levels came', () => {
  fc.assert(
    fc.property(anyLadders, (ladders) => {
      const book = new Book()
      book.replace(ladders)
      const picture = book.ladders()
      expect(prices(picture.bids)).toEqual(prices(ladders.bids).toSorted((one, other) => other - one))
      expect(prices(picture.asks)).toEqual(prices(ladders.asks).toSorted((one, other) => one - other))
      expect(book.bestBid).toBe(picture.bids[0]?.price)
      expect(book.bestAsk).toBe(picture.asks[0]?.price)
    }),
  )
})

test('a book holds the last size told for each price, once, and no empty level', () => {
  const change = fc.record({ side: fc.constantFrom('bids', 'asks'), price, size: fc.oneof(fc.constant(0), size) })
  fc.assert(
    fc.property(anyLadders, fc.array(change, { maxLength: 100 }), (ladders, changes) => {
      const book = new Book()
      book.replace(ladders)
      const expected = {
        bids: new Map(ladders.bids.map((level) => [level.price, level.size])),
        asks: new Map(ladders.asks.map((level) => [level.price, level.size])),
      }
      for (const { side, price: at, size: total } of changes) {
        book.set(side, at, total)
        if (total > 0) expected[side].set(at, total)
        else expected[side].delete(at)
      }
      for (const side of ['bids', 'asks'] as const) {
        expect(new Map(book[side].map((level) => [level.price, level.size]))).toEqual(expected[side])
        expect(book[side].length).toBe(expected[side].size)
      }
    }),
  )
})

test('the mirror of a mirror is the book itself, and mirroring keeps bids below asks', () => {
  fc.assert(
    fc.property(anyLadders, (ladders) => {
      const book = new Book()
      book.replace(ladders)
      const picture = book.ladders()
      const mirrored = mirrorOf(picture)
      expect(sameLadders(mirrorOf(mirrored), picture)).toBe(true)
      const other = new Book()
      other.replace(mirrored)
      expect(other.isCrossed).toBe(book.isCrossed)
      expect(sameLadders(other.ladders(), mirrored)).toBe(true)
    }),
  )
})

test('a picture is not touched by later changes', () => {
  const book = new Book()
  book.replace({ bids: [{ price: 4_000, size: 5 }], asks: [{ price: 6_000, size: 5 }] })
  const picture = book.ladders()
  book.set('bids', 4_000, 0)
  book.set('asks', 5_900, 1)
  expect(picture).toEqual({ bids: [{ price: 4_000, size: 5 }], asks: [{ price: 6_000, size: 5 }] })
})

test('touching prices count as crossed; an empty side never crosses', () => {
  const book = new Book()
  book.replace({ bids: [{ price: 5_000, size: 1 }], asks: [{ price: 5_000, size: 1 }] })
  expect(book.isCrossed).toBe(true)
  book.set('asks', 5_000, 0)
  expect(book.isCrossed).toBe(false)
})

test('a book with an empty level or two of one price is refused, and the old one stays', () => {
  const book = new Book()
  book.replace({ bids: [{ price: 4_000, size: 5 }], asks: [] })
  expect(() => book.replace({ bids: [{ price: 4_100, size: 0 }], asks: [] })).toThrow('has no size')
  expect(() =>
    book.replace({
      bids: [],
      asks: [
        { price: 1, size: 1 },
        { price: 1, size: 2 },
      ],
    }),
  ).toThrow('two levels')
  expect(book.bestBid).toBe(4_000)
})
