import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Ladders, type Level, mirrorOf, type Side } from '../../src/domain/book.ts'
import { SequencedBook } from '../../src/venues/kalshi/sequenced-book.ts'
import type { BookEvent, DeltaEvent } from '../../src/venues/venue.ts'
import { MARKET, NAMES } from './kalshi-scene.ts'

const START_MS = 1_790_000_000_000

function snapshot(ladders: Partial<Ladders> = {}, eventAtMs = START_MS): BookEvent {
  const { bids = [], asks = [] } = ladders
  return { kind: 'book', marketId: MARKET.id, tokenId: NAMES.yesTokenId, bids, asks, eventAtMs, hash: '' }
}

function delta(side: Side, price: number, sizeChange: number, eventAtMs = START_MS): DeltaEvent {
  return { kind: 'delta', marketId: MARKET.id, tokenId: NAMES.yesTokenId, side, price, sizeChange, eventAtMs }
}

const level = (price: number, size: number): Level => ({ price, size })

function openedWith(ladders: Partial<Ladders>, atMs = START_MS): SequencedBook {
  const book = new SequencedBook(MARKET)
  book.take(snapshot(ladders, atMs), atMs)
  return book
}

const BIDS = [level(4_000, 10), level(3_900, 20)]
const ASKS = [level(4_200, 30)]

/** Sizes by price, and the ladders made anew from them each time. */
class NaiveBook {
  readonly sides: Record<Side, Map<number, number>> = { bids: new Map(), asks: new Map() }

  change(side: Side, price: number, sizeChange: number): void {
    this.sides[side].set(price, (this.sides[side].get(price) ?? 0) + sizeChange)
  }

  get ladders(): Ladders {
    const levelsOf = (side: Side): Level[] =>
      [...this.sides[side]].filter(([, size]) => size !== 0).map(([price, size]) => ({ price, size }))
    return {
      bids: levelsOf('bids').sort((one, other) => other.price - one.price),
      asks: levelsOf('asks').sort((one, other) => one.price - other.price),
    }
  }

  get isPossible(): boolean {
    const { bids, asks } = this.ladders
    const isNegative = [...bids, ...asks].some(({ size }) => size < 0)
    return !isNegative && (bids[0]?.price ?? 0) < (asks[0]?.price ?? 10_000)
  }
}

const change = fc.record({
  side: fc.constantFrom<Side>('bids', 'asks'),
  rank: fc.integer({ min: 0, max: 30 }),
  sizeChange: fc.integer({ min: -3, max: 4 }),
  isLookedAt: fc.boolean(),
})

test('after any deltas the book equals a naive one, until that one is impossible', () => {
  let impossible = 0
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const naive = new NaiveBook()
      const book = openedWith({})
      for (const [index, { side, rank, sizeChange, isLookedAt }] of changes.entries()) {
        // The ranges of the two sides overlap a little, so that some books are crossed.
        const price = side === 'bids' ? 4_700 - rank * 100 : 4_500 + rank * 100
        const before = naive.sides[side].get(price) ?? 0
        const size = rank > 2 ? Math.max(-before, sizeChange) : sizeChange
        naive.change(side, price, size)
        book.take(delta(side, price, size, START_MS + index), START_MS + index)
        if (!naive.isPossible) {
          impossible++
          expect([book.doubt?.cause, book.proved]).toEqual(['impossible_book', undefined])
          return
        }
        if (!isLookedAt) continue
        expect(book.proved?.up).toEqual(naive.ladders)
        expect(book.proved?.down).toEqual(mirrorOf(naive.ladders))
        expect([book.doubt, book.proved?.eventAtMs]).toEqual([undefined, START_MS + index])
        expect(book.relationTo(snapshot(naive.ladders), START_MS + index)).toBe('equal')
      }
    }),
  )
  expect(impossible).toBeGreaterThan(0)
})

test('there is no book before the first snapshot, and both tokens have one after it', () => {
  const book = new SequencedBook(MARKET)
  book.take(delta('bids', 4_000, 5), START_MS)
  expect([book.proved, book.doubt, book.provedAtMs, book.takeChangeCount()]).toEqual([
    undefined,
    undefined,
    undefined,
    0,
  ])
  book.take(snapshot({ bids: [...BIDS].reverse(), asks: ASKS }), START_MS + 5)
  expect(book.proved).toEqual({
    up: { bids: BIDS, asks: ASKS },
    down: { bids: [level(5_800, 30)], asks: [level(6_000, 10), level(6_100, 20)] },
    isUpVerified: true,
    isDownVerified: true,
    eventAtMs: START_MS,
    receivedAtMs: START_MS + 5,
  })
  expect([book.provedAtMs, book.takeChangeCount(), book.takeChangeCount()]).toEqual([START_MS + 5, 1, 0])
})

test('a state is made once and never changed afterwards', () => {
  const book = openedWith({ bids: BIDS, asks: ASKS })
  const first = book.proved
  expect(book.proved).toBe(first)
  book.take(delta('bids', 4_000, -10), START_MS + 1)
  expect(first?.up.bids).toEqual(BIDS)
  expect(book.proved?.up.bids).toEqual([level(3_900, 20)])
})

test('updates of another market or token are ignored', () => {
  const book = openedWith({ bids: BIDS })
  book.take({ ...delta('bids', 4_000, 5), marketId: 'other' }, START_MS)
  book.take({ ...delta('bids', 4_000, 5), tokenId: NAMES.noTokenId }, START_MS)
  expect(book.proved?.up.bids).toEqual(BIDS)
})

test.each([
  ['a level that shrinks below 0', delta('bids', 4_000, -11)],
  ['a level that shrinks and was never there', delta('asks', 4_500, -1)],
  ['a level that no exact number can hold', delta('bids', 4_000, Number.MAX_SAFE_INTEGER)],
  ['a bid at the best ask', delta('bids', 4_200, 1)],
  ['a snapshot that is crossed', snapshot({ bids: [level(5_000, 1)], asks: [level(4_900, 1)] })],
  ['a snapshot with a price twice', snapshot({ bids: [level(5_000, 1), level(5_000, 2)] })],
])('%s is impossible: the book is in doubt until the next snapshot', (_what, update) => {
  const book = openedWith({ bids: BIDS, asks: ASKS })
  book.take(update, START_MS + 7)
  expect(book.proved).toBeUndefined()
  expect(book.doubt?.cause).toBe('impossible_book')
  expect(book.takeDoubts()).toMatchObject([
    { cause: 'impossible_book', raisedAtMs: START_MS + 7, provedAtMs: START_MS },
  ])
  expect(book.takeDoubts()).toEqual([])
  book.take(delta('bids', 4_000, 1), START_MS + 8)
  expect(book.proved).toBeUndefined()
  book.take(snapshot({ bids: BIDS }, START_MS + 9), START_MS + 9)
  expect([book.doubt, book.proved?.up.bids]).toEqual([undefined, BIDS])
})

test('a doubt of the connection holds until the next snapshot, and is not raised by the book', () => {
  const book = openedWith({ bids: BIDS, asks: ASKS })
  book.distrust({ cause: 'sequence_gap', detail: 'seq 5 came after 3' })
  book.take(delta('bids', 4_000, 1), START_MS + 1)
  book.settle()
  expect([book.proved, book.doubt?.cause, book.takeDoubts()]).toEqual([undefined, 'sequence_gap', []])
  expect(book.isToBeCompared()).toBe(false)
  book.take(snapshot({}), START_MS + 2)
  expect([book.doubt, book.proved?.up]).toEqual([undefined, { bids: [], asks: [] }])
})

test('a REST book is equal to any state since shortly before its request', () => {
  const book = openedWith({ bids: BIDS, asks: ASKS })
  const states = [snapshot({ bids: BIDS, asks: ASKS })]
  for (let second = 1; second <= 10; second++) {
    book.take(delta('bids', 3_900, 1), START_MS + second * 1_000)
    states.push(snapshot({ bids: [level(4_000, 10), level(3_900, 20 + second)], asks: ASKS }))
  }
  const relations = (requestedAtMs: number) => states.map((state) => book.relationTo(state, requestedAtMs))
  const requestedAtMs = START_MS + 8_500
  expect(relations(requestedAtMs)).toEqual([
    ...Array.from({ length: 6 }, () => 'older'),
    ...Array.from({ length: 5 }, () => 'equal'),
  ])
  const shuffled = { bids: [level(3_900, 30), level(4_000, 10)], asks: ASKS }
  expect(book.relationTo(snapshot(shuffled), requestedAtMs)).toBe('equal')
  for (const other of [
    { bids: shuffled.bids, asks: [] },
    { bids: [level(3_900, 10), level(4_000, 30)], asks: ASKS },
    { bids: [...shuffled.bids, level(100, 1)], asks: ASKS },
    { bids: ASKS, asks: shuffled.bids },
  ])
    expect(book.relationTo(snapshot(other), requestedAtMs)).toBe('other')
})

test('a state that ended long ago does not excuse another book over REST', () => {
  const book = openedWith({ bids: BIDS, asks: ASKS })
  const before = snapshot({ bids: BIDS, asks: ASKS })
  book.take(delta('bids', 3_900, 1), START_MS + 1_000)
  expect(book.relationTo(before, START_MS + 10_000)).toBe('older')
  expect(book.relationTo(before, START_MS + 60_000)).toBe('other')
})

test('an empty REST book confirms an empty book, but contradicts none: it may be the answer for an unknown market', () => {
  expect(openedWith({}).relationTo(snapshot({}), START_MS)).toBe('equal')
  expect(openedWith({ bids: BIDS }).relationTo(snapshot({}), START_MS)).toBe('older')
})

test('states of a minute ago are forgotten, and a book in doubt is equal to none', () => {
  const book = openedWith({ bids: BIDS })
  const ofThen = snapshot({ bids: BIDS })
  for (let second = 1; second <= 60; second++) book.take(delta('bids', 4_000, 1), START_MS + second * 1_000)
  expect(book.relationTo(ofThen, START_MS + 60_000)).toBe('other')
  const now = snapshot({ bids: [level(4_000, 70), level(3_900, 20)] })
  expect(book.relationTo(now, START_MS + 300_000)).toBe('equal')
  book.distrust({ cause: 'disconnected', detail: '' })
  expect(book.relationTo(now, START_MS + 300_000)).toBe('other')
})

test('a restored book goes on exactly like the one that was stored', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), fc.nat(60), (changes, at) => {
      let book = openedWith({ bids: BIDS, asks: ASKS })
      const whole = openedWith({ bids: BIDS, asks: ASKS })
      for (const [index, { side, rank, sizeChange }] of changes.entries()) {
        if (index === at) {
          const restored = new SequencedBook(MARKET)
          restored.restore(JSON.parse(JSON.stringify(book.checkpoint())))
          book = restored
        }
        const update = delta(side, side === 'bids' ? 4_050 - rank : 4_150 + rank, sizeChange, START_MS + index)
        for (const each of [book, whole]) each.take(update, START_MS + index)
        expect([book.proved, book.doubt, book.provedAtMs]).toEqual([whole.proved, whole.doubt, whole.provedAtMs])
      }
      expect([book.takeChangeCount(), book.takeDoubts()]).toEqual([whole.takeChangeCount(), whole.takeDoubts()])
    }),
  )
})
