import { expect, test } from 'vitest'
import { ProvedBook } from '../../src/venues/polymarket/proved-book.ts'
import { SearchBudget } from '../../src/venues/polymarket/search-budget.ts'
import { openProved, openTiny } from './tiny-scene.ts'
import { TinyVenue } from './tiny-venue.ts'

test('F7: changes before the first book build no book, and one token alone is not trusted', () => {
  const { venue, book, give } = openTiny()
  give(...venue.batch([4_800, 1_000_000]))
  book.settle(venue.nowMs + 1_000)
  expect([book.proved, book.doubt]).toEqual([undefined, undefined])
  give(venue.book(0, true))
  expect(book.proved).toBeUndefined()
  give(venue.book(1, true))
  expect(book.proved?.up.bids.map(({ price }) => price)).toEqual([4_900, 4_800])
})

test('F8: a batch over several frames shows the state before or after it, never between', () => {
  const { venue, book, give } = openProved()
  const before = book.proved
  venue.nowMs += 1_000
  const [first, second, third] = venue.batch([4_900, 0], [4_800, 2_000_000], [4_700, 3_000_000])
  if (!first || !second || !third) throw new Error('three frames')
  give(first, second)
  expect(book.proved).toBe(before)
  give(third)
  expect(book.proved?.up.bids.map(({ price }) => price)).toEqual([4_800, 4_700])
  expect(book.takeChangeCount()).toBe(2)
  give(first, second, third)
  expect(book.doubt).toBeUndefined()
  expect(book.takeChangeCount()).toBe(0)
})

test('a repeated frame of a complete batch is ignored', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  const [first, second] = venue.batch([4_800, 2_000_000], [4_800, 3_000_000])
  if (!first || !second) throw new Error('two frames')
  give(first, second, first)
  venue.nowMs += 10
  give(...venue.batch([4_700, 1_000_000]))
  expect([book.proved?.eventAtMs, book.takeDoubts()]).toEqual([venue.nowMs, []])
})

test('both tokens of a batch change together', () => {
  const { venue, book } = openProved()
  const before = book.proved
  venue.nowMs += 10
  const [frame] = venue.batch([4_800, 2_000_000])
  if (!frame) throw new Error('one frame')
  const [up, down] = frame.entries
  book.take({ ...frame, entries: up ? [up] : [] }, venue.nowMs)
  expect(book.proved).toBe(before)
  book.take({ ...frame, entries: down ? [down] : [] }, venue.nowMs)
  expect(book.proved?.down.asks[0]).toEqual({ price: 5_100, size: 5_000_000 })
  expect(book.proved?.down.asks[1]).toEqual({ price: 5_200, size: 2_000_000 })
})

test('F10: two batches in one millisecond are two states', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  give(...venue.batch([4_800, 2_000_000]), ...venue.batch([4_800, 0]))
  expect(book.takeDoubts()).toEqual([])
  expect(book.takeChangeCount()).toBe(3)
})

test('F10: a batch with an older time than the one before is applied in order of arrival', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  give(...venue.batch([4_800, 2_000_000]))
  venue.nowMs -= 4
  give(...venue.batch([4_700, 1_000_000]), venue.trade(4_900))
  expect(book.takeDoubts()).toEqual([])
  expect(book.proved?.up.bids.map(({ price }) => price)).toEqual([4_900, 4_800, 4_700])
})

test('F13: a batch with a trade at a changed level is proved before the trade event', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  venue.lastTradeText = '0.490'
  give(...venue.batch([4_900, 1_000_000]), venue.book(0, false), venue.book(1, false))
  expect(book.proved?.eventAtMs).toBe(venue.nowMs)
})

test('F13: a batch with a trade elsewhere is proved by the trade event, without a doubt before', () => {
  const { venue, book, give } = openProved()
  const before = book.proved
  venue.nowMs += 10
  venue.lastTradeText = '0.123'
  give(...venue.batch([4_900, 1_000_000]), venue.book(0, false), venue.book(1, false))
  book.settle(venue.nowMs + 30)
  expect([book.proved, book.doubt]).toEqual([before, undefined])
  book.take(venue.trade(8_770), venue.nowMs + 36)
  expect(book.proved?.eventAtMs).toBe(venue.nowMs)
})

test('when the next hash comes before the trade event, every text is tried, at most once a second', () => {
  const { venue, book, give } = openProved()
  for (const text of ['0.123', '0.321', '0.213']) {
    venue.nowMs += 5
    venue.lastTradeText = text
    give(...venue.batch([4_900, Number(text.slice(2)) * 10_000]))
  }
  venue.nowMs += 30
  give(venue.trade(2_130))
  expect(book.takeDoubts()).toEqual([])
  expect(book.proved?.eventAtMs).toBe(venue.nowMs - 30)
})

test('without search budget, a batch waits for its trade event through the next hashes', () => {
  const venue = new TinyVenue()
  const book = new ProvedBook(venue.market, { budget: new SearchBudget(0) })
  const give = (...events: Parameters<ProvedBook['take']>[0][]) => {
    for (const event of events) book.take(event, venue.nowMs)
  }
  give(venue.book(0, true), venue.book(1, true))
  for (const size of [1_000_000, 2_000_000, 3_000_000]) {
    venue.nowMs += 10
    venue.lastTradeText = '0.123'
    give(...venue.batch([4_900, size]))
  }
  expect(book.takeDoubts()).toEqual([])
  give(venue.trade(1_230))
  expect(book.proved?.eventAtMs).toBe(venue.nowMs)
})

test('a hash that is one change ahead is no doubt; until it fits, the last proved state stands', () => {
  const { venue, book, give } = openProved()
  const before = book.proved
  venue.nowMs += 10
  const [first] = venue.batch([4_800, 1_000_000])
  if (!first) throw new Error('one frame')
  const stampMs = venue.nowMs
  const [second] = venue.batch([4_700, 1_000_000])
  venue.nowMs += 2
  const [later] = venue.batch([4_700, 1_000_000])
  if (!second || !later) throw new Error('one frame')
  const ahead = first.entries.map((entry, index) => ({ ...entry, hash: second.entries[index]?.hash ?? '' }))
  give({ ...first, eventAtMs: stampMs, entries: ahead })
  book.settle(venue.nowMs + 300)
  expect([book.proved, book.isToBeCompared(venue.nowMs + 300)]).toEqual([before, false])
  give(later)
  expect(book.proved?.up.bids.map(({ price }) => price)).toEqual([4_900, 4_800, 4_700])
  expect(book.takeDoubts()).toEqual([])
})

test('a repeated frame of an older batch, up to 120 ms late, changes nothing', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  const [old] = venue.batch([4_800, 2_000_000])
  if (!old) throw new Error('one frame')
  give(old)
  venue.nowMs += 60
  give(...venue.batch([4_800, 3_000_000]))
  const { proved } = book
  book.take(old, venue.nowMs + 60)
  expect(book.proved).toBe(proved)
  venue.nowMs += 100
  give(...venue.batch([4_700, 1_000_000]))
  expect([book.proved?.eventAtMs, book.takeDoubts()]).toEqual([venue.nowMs, []])
})

test('a doubt ends only when whole books of both tokens are proved', () => {
  const { venue, book, give } = openProved()
  book.distrust({ cause: 'disconnected', detail: '1006' })
  expect([book.proved, book.doubt?.cause]).toEqual([undefined, 'disconnected'])
  venue.nowMs += 10
  give(...venue.batch([4_800, 1_000_000]), venue.book(0, true))
  expect(book.proved).toBeUndefined()
  give({ ...venue.book(1, true), hash: '0'.repeat(40) })
  expect(book.doubt?.cause).toBe('hash_mismatch')
  give(venue.book(1, true))
  expect(book.proved).toBeUndefined()
  give(venue.book(0, true))
  expect([book.proved?.eventAtMs, book.doubt]).toEqual([venue.nowMs, undefined])
})

test('a whole book may come at any time: an equal one confirms ours, a different one shows a loss', () => {
  const { venue, book, give } = openProved()
  give(venue.book(0, true), venue.book(1, true))
  expect(book.takeDoubts()).toEqual([])
  const provedAtMs = venue.nowMs
  venue.nowMs += 5_000
  venue.batch([4_800, 1_000_000])
  give(venue.book(0, false))
  expect(book.proved).toBeUndefined()
  give(venue.book(1, false))
  expect([book.proved?.eventAtMs, book.doubt]).toEqual([venue.nowMs, undefined])
  expect(book.takeDoubts()).toMatchObject([{ cause: 'hash_mismatch', provedAtMs }])
})

test('the book of a trade that arrives after a later batch of the same millisecond is ignored', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  venue.lastTradeText = '0.490'
  give(...venue.batch([4_900, 1_000_000]))
  const books = [venue.book(0, false), venue.book(1, false)]
  give(...venue.batch([4_700, 1_000_000]))
  const { proved } = book
  give(...books)
  expect([book.proved, book.takeDoubts()]).toEqual([proved, []])
  venue.nowMs += 1
  give(...venue.batch([4_600, 1_000_000]))
  expect(book.proved?.eventAtMs).toBe(venue.nowMs)
})

test('an older book, as REST may have it, is ignored', () => {
  const { venue, book, give } = openTiny()
  const old = venue.book(0, true)
  venue.nowMs += 500
  venue.batch([4_800, 1_000_000])
  give(venue.book(0, true), venue.book(1, true))
  const { proved } = book
  give(old)
  expect([book.proved, book.takeDoubts()]).toEqual([proved, []])
})

test('F24: a new tick size is part of later hashes, whether its event comes for one token or both, before or just after', () => {
  for (const [isLate, outcomes] of [
    [false, [0, 1]],
    [false, [1]],
    [true, [0, 1]],
  ] as const) {
    const { venue, book, give } = openProved()
    venue.nowMs += 10
    venue.tickSize = '0.001'
    const ticks = outcomes.map((outcome) => venue.tick(outcome))
    const changes = venue.batch([4_895, 1_000_000])
    give(...(isLate ? [...changes, ...ticks] : [...ticks, ...changes]))
    expect([book.proved?.eventAtMs, book.takeDoubts()]).toEqual([venue.nowMs, []])
  }
})

test('a batch hashed just before a change of the tick size is proved after it', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  const changes = venue.batch([4_800, 1_000_000])
  venue.tickSize = '0.001'
  give(venue.tick(0), venue.tick(1), ...changes)
  expect([book.proved?.eventAtMs, book.takeDoubts()]).toEqual([venue.nowMs, []])
})

test('F25: a book that the resolution has emptied is proved empty', () => {
  const { venue, book, give } = openProved()
  venue.nowMs += 10
  give(...venue.batch([4_900, 0], [5_100, 0]))
  expect(book.proved?.up).toEqual({ bids: [], asks: [] })
  expect(book.doubt).toBeUndefined()
})

test('events of other markets or tokens are ignored', () => {
  const { venue, book, give } = openProved()
  const { proved } = book
  venue.nowMs += 10
  const [frame] = venue.batch([4_800, 1_000_000])
  if (!frame) throw new Error('one frame')
  give({ ...frame, marketId: `0x${'cd'.repeat(32)}` })
  give({ ...frame, entries: frame.entries.map((entry) => ({ ...entry, tokenId: '9' })) })
  expect([book.proved, book.doubt]).toEqual([proved, undefined])
})
